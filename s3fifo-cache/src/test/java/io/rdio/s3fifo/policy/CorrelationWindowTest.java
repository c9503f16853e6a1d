// SPDX-License-Identifier: Apache-2.0
package io.rdio.s3fifo.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.s3fifo.policy.NaiveS3Fifo.Mutant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Hits of entries that have only just come do not count, if that is wished. */
class CorrelationWindowTest {
  private final List<SizedEntry> evicted = new ArrayList<>();

  /** Each miss has a burst of hits behind it, as the objects of a block of metadata have. */
  private static int[] bursts(long seed, int requests) {
    Random random = new Random(seed);
    int[] trace = new int[requests];
    for (int i = 0; i < requests; ) {
      double skewed = Math.pow(random.nextDouble(), 3);
      int object = (int) (skewed * 3000);
      int most = Math.min(requests, i + 1 + random.nextInt(6));
      while (i < most) {
        trace[i++] = object;
      }
    }
    return trace;
  }

  @ParameterizedTest
  @CsvSource({"0, 1", "0, 3", "0.1, 2", "0.5, 1", "0.5, 2", "1, 1", "1, 2"})
  void everyRequestHitsOrMissesAsInTheNaiveModel(double window, int hitsToPromote) {
    S3FifoOptions options = new S3FifoOptions(0.1, 0.9, false, window, hitsToPromote);
    int[] trace = bursts(7, 60_000);
    for (int maximum : new int[] {1, 2, 9, 10, 11, 20, 100, 333, 1000}) {
      assertThat(SimulatedCache.run(trace, new PolicyCache(maximum, options)))
          .as("capacity %d", maximum)
          .isEqualTo(SimulatedCache.run(trace, new NaiveS3Fifo(maximum, Mutant.NONE, options)));
    }
  }

  @Test
  void windowMakesADifferenceWhereHitsComeInBursts() {
    int[] trace = bursts(8, 200_000);
    int without = SimulatedCache.run(trace, new PolicyCache(300)).misses();
    int with = SimulatedCache.run(trace, new PolicyCache(300, S3FifoOptions.CORRELATED)).misses();
    assertThat(with).isLessThan(without);
  }

  private static void hit(SizedEntry entry, int times) {
    for (int i = 0; i < times; i++) {
      entry.hit();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 7})
  void entryThatIsHitInTheWindowOnlyIsEvicted(int weight) {
    S3FifoPolicy<SizedEntry> policy =
        new S3FifoPolicy<>(100L * weight, weight > 1, S3FifoOptions.CORRELATED, evicted::add);
    List<SizedEntry> entries = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      SizedEntry entry = new SizedEntry(i, weight);
      entries.add(entry);
      policy.insert(entry);
      hit(entry, 3);
      if (i >= 5 && i % 2 == 0) {
        hit(entries.get(i - 5), 1); // which has left the window of five by now
      }
    }
    for (int i = 0; i < 10; i++) {
      policy.insert(new SizedEntry(1000 + i, weight));
    }
    assertThat(evicted).hasSize(10).allMatch(entry -> entry.id % 2 == 0);
  }

  /** Whoever removes entries leaves tombstones, and after many of them the queue is compacted. */
  @Test
  void entryThatHasLeftTheWindowDoesNotComeBackWhenTheQueueIsCompacted() {
    S3FifoPolicy<SizedEntry> policy =
        new S3FifoPolicy<>(1000, false, S3FifoOptions.CORRELATED, evicted::add);
    SizedEntry first = new SizedEntry(0, 1);
    policy.insert(first);
    for (int i = 1; i <= 60; i++) {
      policy.insert(new SizedEntry(i, 1));
    }
    hit(first, 1); // the window is of 50
    int before = policy.occupiedSlots();
    for (int i = 61; i < 161; i++) {
      SizedEntry entry = new SizedEntry(i, 1);
      policy.insert(entry);
      policy.remove(entry);
    }
    assertThat(policy.occupiedSlots()).as("compacted").isLessThan(before + 100);
    for (int i = 1000; evicted.isEmpty(); i++) {
      policy.insert(new SizedEntry(i, 1));
    }
    assertThat(evicted).extracting(entry -> entry.id).containsExactly(1L);
  }
}
