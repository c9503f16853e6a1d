// SPDX-License-Identifier: Apache-2.0
package io.rdio.exclusive.prefcache;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.exclusive.prefcache.ReleaseQueue.Range;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class ReleaseQueueTest {
  @Property(tries = 200)
  void aRoundHasEveryBlockThatWasAddedToItOnce(@ForAll long seed) {
    Random random = new Random(seed);
    ReleaseQueue queue = new ReleaseQueue(1000);
    BitSet[][] added = {{new BitSet(), new BitSet()}, {new BitSet(), new BitSet()}};
    for (int i = 0; i < 100; i++) {
      int device = random.nextInt(2);
      int round = random.nextInt(2);
      int first = random.nextInt(500);
      int end = first + 1 + random.nextInt(30);
      queue.add(device, first, end, round);
      added[round][device].set(first, end);
    }
    for (BitSet[] expected : added) {
      BitSet[] got = {new BitSet(), new BitSet()};
      Range before = new Range(-1, 0, 0);
      for (Range range : queue.nextRound()) {
        assertThat(range.device() > before.device() || range.first() > before.end()).isTrue();
        got[range.device()].set((int) range.first(), (int) range.end());
        before = range;
      }
      assertThat(got).isEqualTo(expected);
    }
    assertThat(queue.nextRound()).isEmpty();
  }

  @Test
  void beyondTheBoundRangesAreForgottenAndCounted() {
    ReleaseQueue queue = new ReleaseQueue(2);
    queue.add(0, 0, 1, 0);
    queue.add(0, 10, 11, 0);
    queue.add(0, 20, 21, 0);
    queue.add(0, 11, 12, 0);
    assertThat(queue.nextRound()).isEqualTo(List.of(new Range(0, 0, 1), new Range(0, 10, 12)));
    assertThat(queue.forgotten()).isEqualTo(1);
  }
}
