// SPDX-License-Identifier: Apache-2.0
package io.rdio.exclusive.eviction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.rdio.core.counters.EvictionCounters;
import io.rdio.core.testing.ManualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

/** Which runs come of which blocks, and when. */
final class SegmentBatcherTest {
  private static final int SEGMENT = 8;
  private static final Duration PATIENCE = Duration.ofMillis(200);

  private record Run(int device, long first, int blocks, int slot, int epoch) {}

  private final ManualClock clock = new ManualClock();
  private final EvictionCounters counters = new EvictionCounters();
  private final List<Run> told = new ArrayList<>();

  private SegmentBatcher batcher(int enough, int maxWaiting) {
    return new SegmentBatcher(
        SEGMENT,
        enough,
        PATIENCE,
        maxWaiting,
        clock,
        (device, first, blocks, slot, epoch) ->
            told.add(new Run(device, first, blocks, slot, epoch)),
        counters);
  }

  @Test
  void longRunIsToldAtOnceButForItsEnds() {
    SegmentBatcher batcher = batcher(SEGMENT, 100);

    batcher.add(1, 5, 30, 3, 9);

    assertThat(told).containsExactly(new Run(1, 8, 24, 3, 9));
    assertThat(batcher.waiting()).isEqualTo(2);
    assertThat(counters.wholeSegments.sum()).isEqualTo(3);
  }

  @Test
  void segmentIsToldWhenItsLastBlockCame() {
    SegmentBatcher batcher = batcher(SEGMENT, 100);
    for (int block : new int[] {13, 8, 9, 15, 10, 14, 11}) {
      batcher.add(0, block, 1, 0, 0);
    }
    assertThat(told).isEmpty();

    batcher.add(0, 12, 1, 0, 0);

    assertThat(told).containsExactly(new Run(0, 8, 8, 0, 0));
    assertThat(batcher.waiting()).isZero();
  }

  @Test
  void whereNoSegmentMayWaitBlocksAreToldAsTheyCome() {
    SegmentBatcher batcher = batcher(SEGMENT, 0);

    batcher.add(1, 5, 12, 3, 9);
    batcher.add(1, 17, 1, 3, 9);

    assertThat(told)
        .containsExactly(
            new Run(1, 8, 8, 3, 9),
            new Run(1, 5, 3, 3, 9),
            new Run(1, 16, 1, 3, 9),
            new Run(1, 17, 1, 3, 9));
    assertThat(batcher.waiting()).isZero();
  }

  @Test
  void enoughBlocksBringTheOthersAlong() {
    SegmentBatcher batcher = batcher(3, 100);

    batcher.add(0, 17, 1, 0, 0);
    batcher.add(0, 20, 2, 0, 0);

    assertThat(told).containsExactly(new Run(0, 16, 8, 0, 0));
  }

  @Test
  void blocksThatWaitedInVainAreToldAsTheyAre() {
    SegmentBatcher batcher = batcher(SEGMENT, 100);
    batcher.add(0, 1, 2, 0, 0);
    batcher.add(0, 6, 1, 0, 0);
    clock.advance(PATIENCE.minusNanos(1));
    batcher.tick();
    assertThat(told).isEmpty();

    clock.advance(Duration.ofNanos(1));
    batcher.tick();

    assertThat(told).containsExactly(new Run(0, 1, 2, 0, 0), new Run(0, 6, 1, 0, 0));
  }

  @Test
  void filesAreNotMixedNorEpochs() {
    SegmentBatcher batcher = batcher(SEGMENT, 100);
    batcher.add(0, 0, 4, 1, 1);
    batcher.add(0, 4, 2, 1, 2);
    batcher.add(0, 6, 2, 5, 2);
    batcher.flush();

    assertThat(told)
        .containsExactly(new Run(0, 0, 4, 1, 1), new Run(0, 4, 2, 1, 2), new Run(0, 6, 2, 5, 2));
  }

  @Test
  void noMoreWaitThanMay() {
    SegmentBatcher batcher = batcher(SEGMENT, 3);
    for (int i = 0; i < 10; i++) {
      batcher.add(0, (long) i * SEGMENT, 1, 0, 0);
    }

    assertThat(batcher.waiting()).isEqualTo(3);
    assertThat(told).hasSize(7).first().isEqualTo(new Run(0, 0, 1, 0, 0));
  }

  @Test
  void impossibleUnitsAreRefused() {
    assertThatIllegalArgumentException().isThrownBy(() -> batcher(0, 1));
    assertThatIllegalArgumentException().isThrownBy(() -> batcher(SEGMENT + 1, 1));
  }

  /** With all blocks needed, exactly what was added is told: nothing else, nothing left out. */
  @Property(tries = 300)
  void toldIsWhatWasAdded(
      @ForAll @Size(max = 60) List<@IntRange(max = 199) Integer> firsts,
      @ForAll @IntRange(min = 1, max = 40) int blocks,
      @ForAll @IntRange(min = 1, max = 5) int maxWaiting) {
    SegmentBatcher batcher = batcher(SEGMENT, maxWaiting);
    BitSet added = new BitSet();
    told.clear();
    for (int first : firsts) {
      batcher.add(0, first, blocks, 0, 0);
      added.set(first, first + blocks);
    }
    batcher.flush();

    BitSet all = new BitSet();
    told.forEach(run -> all.set((int) run.first(), (int) run.first() + run.blocks()));
    assertThat(all).isEqualTo(added);
  }
}
