// SPDX-License-Identifier: Apache-2.0
package io.rdio.exclusive.eviction;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.counters.EvictionCounters;
import io.rdio.core.testing.ManualClock;
import java.time.Duration;
import java.util.BitSet;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which whole blocks of the storage node's an eviction has, and what is left over. */
final class DeviceTraceTest {
  private static final int BLOCKS = 100;

  private final EvictionCounters counters = new EvictionCounters();
  private final BitSet told = new BitSet();
  private final SegmentBatcher batcher =
      new SegmentBatcher(
          8,
          8,
          Duration.ofMillis(100),
          100,
          new ManualClock(),
          (device, first, blocks, slot, epoch) -> told.set((int) first, (int) first + blocks),
          counters);

  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "aligned, 0, 8192, 12288, 2, 5, 0",
    "a page of a file system with blocks of 1 KiB, 0, 5120, 4096, 0, 0, 4096",
    "a run of them, 0, 5120, 16384, 2, 5, 4096",
    "a partition as of DOS: from sector 63 on, 32256, 0, 32768, 8, 15, 4096",
    "a partition from 1 MiB on, 1048576, 409600, 8192, 0, 0, 8192",
    "an aligned one, 65536, 8192, 8192, 18, 20, 0",
    "less than a block, 0, 4096, 2048, 0, 0, 2048",
    "across the end of what is cached, 0, 405504, 8192, 99, 100, 4096",
    "behind it, 0, 413696, 4096, 0, 0, 4096"
  })
  void wholeBlocksAreToldAndTheRestIsCounted(
      String what, long start, long offset, long bytes, int first, int end, long partial) {
    TracedDevice device =
        new TracedDevice(
            RecordingStorage.device(1).setBlocks(BLOCKS).build(),
            start,
            Optional.empty(),
            Optional.empty());
    new DeviceTrace(0, device, null, batcher, counters)
        .evicted(new Eviction.OfDevice(0, offset, bytes));
    batcher.flush();

    BitSet expected = new BitSet();
    expected.set(first, end);
    assertThat(told).isEqualTo(expected);
    assertThat(counters.partialBytes.sum()).isEqualTo(partial);
    assertThat(counters.values()).containsEntry("partial_bytes", partial);
  }
}
