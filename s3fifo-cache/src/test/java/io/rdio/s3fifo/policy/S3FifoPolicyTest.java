// SPDX-License-Identifier: Apache-2.0
package io.rdio.s3fifo.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What the traces do not show: removal, bounded work, races with a hit, adaptive sizes. */
class S3FifoPolicyTest {
  private final List<Entry> evicted = new ArrayList<>();

  private S3FifoPolicy<Entry> policy(long maximum, S3FifoOptions options) {
    return new S3FifoPolicy<>(maximum, false, options, evicted::add);
  }

  @Test
  void leavesNoTombstonesBehindHoweverOftenAnEntryIsRemoved() {
    S3FifoPolicy<Entry> policy = policy(1000, S3FifoOptions.PAPER);
    for (int i = 0; i < 100; i++) {
      policy.insert(new Entry(i));
    }
    for (int i = 0; i < 100_000; i++) {
      Entry entry = new Entry(1_000_000);
      policy.update(entry);
      policy.remove(entry);
      policy.remove(entry);
      policy.update(entry);
      assertThat(policy.smallSize()).isEqualTo(100);
      assertThat(policy.occupiedSlots()).isLessThanOrEqualTo(2 * 100 + 17);
    }
    assertThat(evicted).isEmpty();
  }

  @Test
  void boundsTheWorkOfOneEvictionWhenAllOfALargeMainQueueIsHot() {
    int size = 3 * S3FifoPolicy.MAX_REINSERTIONS;
    S3FifoPolicy<Entry> policy = policy(size, S3FifoOptions.PAPER);
    List<Entry> entries = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      entries.add(new Entry(i));
      policy.insert(entries.get(i));
      hit(entries.get(i), 3);
    }
    // Small is all hot: it moves to main. Then main is made all hot.
    policy.insert(new Entry(size));
    assertThat(policy.smallSize()).isEqualTo(1);
    entries.forEach(entry -> hit(entry, 3));
    evicted.clear();
    policy.setMaximum(policy.mainSize());
    assertThat(evicted).hasSize(1);
    assertThat(entries.stream().filter(entry -> entry.frequency() == 2).count())
        .as("counters that were decremented")
        .isEqualTo(S3FifoPolicy.MAX_REINSERTIONS);
  }

  @Test
  void sparesAnEntryThatIsHitAfterItsCounterWasRead() {
    // The hit comes when the policy has decided to evict: entry 0 hits itself when it is looked at.
    S3FifoEntry entry = new Entry(0);
    int seen = entry.frequency();
    entry.hit();
    assertThat(entry.closeFrequency(seen)).isFalse();
    assertThat(entry.frequency()).isEqualTo(1);
    assertThat(entry.closeFrequency(1)).isTrue();
    entry.hit();
    assertThat(entry.closeFrequency(1)).isFalse();
  }

  @Test
  void countsNoEvictionAndRemembersNothingOfAnEntryThatWasRemovedMeanwhile() {
    S3FifoPolicy<Entry> policy =
        new S3FifoPolicy<>(1, false, new S3FifoOptions(0.1, 4, false), entry -> false);
    policy.insert(new Entry(1));
    policy.insert(new Entry(2));
    assertThat(policy.smallSize()).isEqualTo(1);
    assertThat(policy.ghostSize()).isZero();
  }

  @Test
  void withoutGhostRemembersNothing() {
    S3FifoPolicy<Entry> policy = policy(10, new S3FifoOptions(0.1, 0, false));
    for (int i = 0; i < 100; i++) {
      policy.insert(new Entry(i));
    }
    assertThat(policy.ghostSize()).isZero();
    assertThat(policy.ghostHits()).isZero();
  }

  @Test
  void movesSpaceToTheQueueWhoseVictimsComeBack() {
    AdaptiveSizing sizing = new AdaptiveSizing(0.1);
    for (int i = 0; i < 101; i++) {
      assertThat(sizing.smallRatio()).isEqualTo(0.1);
      sizing.evictedFromSmall(i, 1000);
      sizing.missed(i);
    }
    assertThat(sizing.smallRatio()).isCloseTo(0.101, within(1e-9));
    for (int i = 0; i < 100_000; i++) {
      sizing.evictedFromMain(i, 1000);
      sizing.missed(i);
    }
    assertThat(sizing.smallRatio()).isEqualTo(0.01);
    for (int i = 0; i < 100_000; i++) {
      sizing.evictedFromSmall(i, 1000);
      sizing.missed(i);
    }
    assertThat(sizing.smallRatio()).isEqualTo(0.99);
    for (int i = 0; i < 1000; i++) {
      sizing.evictedFromMain(i, 1000);
    }
    assertThat(sizing.missed(0)).as("a victim long gone from the shadow of 50").isFalse();
  }

  @Test
  void adaptsOnTheTwoHitPatternThatIsWorstForS3Fifo() {
    int[] trace = Traces.dense(Traces.ids("twohitwarm-s").orElseThrow());
    int fixed = SimulatedCache.run(trace, new PolicyCache(11_859)).misses();
    int adaptive =
        SimulatedCache.run(trace, new PolicyCache(11_859, S3FifoOptions.ADAPTIVE)).misses();
    assertThat(adaptive).isLessThan(fixed);
  }

  @Test
  void ghostIsABoundedFifoSet() {
    Random random = new Random(7);
    for (int limit : new int[] {1, 2, 15, 16, 17, 100, 1000}) {
      GhostQueue ghost = new GhostQueue();
      List<Integer> model = new ArrayList<>();
      for (int i = 0; i < 20_000; i++) {
        Integer hash = random.nextInt(limit * 3);
        boolean remembered = model.remove(hash);
        if (random.nextInt(3) == 0) {
          assertThat(ghost.remove(hash)).isEqualTo(remembered);
        } else {
          if (remembered) {
            ghost.remove(hash);
          }
          ghost.add(hash, limit);
          model.add(hash);
          if (model.size() > limit) {
            model.remove(0);
          }
        }
        assertThat(ghost.size()).isEqualTo(model.size());
      }
      assertThat(ghost.slots()).isLessThanOrEqualTo(3 * limit + 64);
      model.forEach(hash -> assertThat(ghost.remove(hash)).isTrue());
      assertThat(ghost.size()).isZero();
    }
  }

  private static void hit(S3FifoEntry entry, int times) {
    for (int i = 0; i < times; i++) {
      entry.hit();
    }
  }

  private static final class Entry extends S3FifoEntry {
    private final int number;

    Entry(int number) {
      this.number = number;
    }

    @Override
    public int fingerprint() {
      return number;
    }
  }
}
