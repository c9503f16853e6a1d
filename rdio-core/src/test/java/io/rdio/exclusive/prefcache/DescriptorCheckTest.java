// SPDX-License-Identifier: Apache-2.0
package io.rdio.exclusive.prefcache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.exclusive.wire.EvictedBlocks;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class DescriptorCheckTest {
  private static final long BLOCKS = 1 << 27;

  private final DescriptorCheck check =
      new DescriptorCheck(
          SegmentGeometry.PAPER,
          List.of(
              new StorageDevice(
                  0,
                  Path.of("/dev/loop0"),
                  7 << 20,
                  BLOCKS * 4096 + 512,
                  Path.of("/file"),
                  0,
                  0,
                  "",
                  "",
                  "")));

  private List<String> runs(EvictedBlocks.Builder batch) {
    List<String> runs = new ArrayList<>();
    check.forEach(batch.build(), (first, blocks) -> runs.add(first + "+" + blocks));
    return runs;
  }

  @Test
  void startsAreDistancesFromTheRunBefore() {
    EvictedBlocks.Builder batch =
        EvictedBlocks.newBuilder().addStarts(10).addMoreBlocks(4).addStarts(0).addMoreBlocks(0);
    assertThat(runs(batch.addStarts(4).addMoreBlocks(9))).containsExactly("10+5", "15+1", "20+10");
  }

  @Test
  void withoutLengthsEveryRunIsASegment() {
    assertThat(runs(EvictedBlocks.newBuilder().addStarts(16).addStarts(0).addStarts(8)))
        .containsExactly("16+8", "24+8", "40+8");
    assertRefused(EvictedBlocks.newBuilder().addStarts(3), "run 0 at block 3 is no segment of 8");
  }

  @Test
  void theLastBlocksOfADeviceAreNamedAndNoFurther() {
    assertThat(runs(EvictedBlocks.newBuilder().addStarts(BLOCKS - 1).addMoreBlocks(0))).hasSize(1);
    assertRefused(
        EvictedBlocks.newBuilder().addStarts(BLOCKS - 1).addMoreBlocks(1),
        "run 0 reaches beyond the 134217728 blocks of device 0");
    assertRefused(
        EvictedBlocks.newBuilder().addStarts(-1).addMoreBlocks(0), "reaches beyond the 134217728");
    assertRefused(
        EvictedBlocks.newBuilder().addStarts(0).addMoreBlocks(-1), "reaches beyond the 134217728");
  }

  @Test
  void whatIsTooMuchOrDoesNotFitTogetherIsRefused() {
    assertRefused(EvictedBlocks.newBuilder().setDevice(1), "device 1 is not one of the 1");
    assertRefused(EvictedBlocks.newBuilder().setDevice(-1), "device 4294967295 is not one of");
    assertRefused(
        EvictedBlocks.newBuilder().addStarts(0).addStarts(1).addMoreBlocks(0),
        "2 runs and the lengths of 1");
    assertRefused(
        EvictedBlocks.newBuilder().addStarts(0).addMoreBlocks(DescriptorCheck.MAX_BLOCKS),
        "more than 33554432 blocks in one batch");
  }

  private void assertRefused(EvictedBlocks.Builder batch, String why) {
    assertThatThrownBy(() -> runs(batch))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(why);
  }

  @Property(tries = 1000)
  void whateverIsAcceptedLiesOnTheDevice(
      @ForAll int device, @ForAll List<Long> starts, @ForAll List<Integer> lengths) {
    EvictedBlocks batch =
        EvictedBlocks.newBuilder()
            .setDevice(device % 2)
            .addAllStarts(starts)
            .addAllMoreBlocks(lengths.subList(0, Math.min(lengths.size(), starts.size())))
            .build();
    long[] end = {0};
    try {
      check.forEach(
          batch,
          (first, blocks) -> {
            assertThat(first).isGreaterThanOrEqualTo(end[0]);
            assertThat(blocks).isPositive();
            end[0] = first + blocks;
            assertThat(end[0]).isLessThanOrEqualTo(BLOCKS);
          });
    } catch (IllegalArgumentException e) {
      assertThat(e).hasMessageMatching("(?s).+");
    }
  }
}
