// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.tune;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.within;

import io.rdio.client.read.RunShape;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.device.BlockDevice;
import io.rdio.core.testing.DeferredQueue;
import io.rdio.core.testing.ManualClock;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A run of reads of a device that takes a millisecond for each. */
class DeviceRunTest {
  private static final int WINDOW = 64 << 10;
  private static final int ALIGNMENT = 4096;
  private static final Duration MILLISECOND = Duration.ofMillis(1);

  private final ManualClock clock = new ManualClock();
  private final List<Long> offsets = new ArrayList<>();
  private long size = 10L * WINDOW + ALIGNMENT;

  private final BlockDevice device =
      new BlockDevice() {
        @Override
        public String name() {
          return "slow";
        }

        @Override
        public int alignment() {
          return ALIGNMENT;
        }

        @Override
        public long sizeBytes() {
          return size;
        }

        @Override
        public void read(long offset, ByteBuffer target) {
          assertThat(target.remaining()).isEqualTo(WINDOW);
          assertThat(offset).isBetween(0L, size - WINDOW).matches(at -> at % ALIGNMENT == 0);
          clock.advance(MILLISECOND);
          offsets.add(offset);
          target.position(target.limit());
        }
      };

  private DeviceRun.Result run(int windows, long from, int millis) throws FallbackException {
    ByteBuffer memory =
        ByteBuffer.allocateDirect(windows * WINDOW + ALIGNMENT).alignedSlice(ALIGNMENT);
    try (DeferredQueue queue = new DeferredQueue(1)) {
      return new DeviceRun(
              device, windows > 1 ? queue : null, memory, new RunShape(WINDOW, windows), clock)
          .run(from, Duration.ofMillis(millis));
    }
  }

  @Test
  void windowsFollowEachOtherToTheEndAndFromTheBeginning() throws Exception {
    DeviceRun.Result result = run(1, 8 * WINDOW + 100, 4);
    assertThat(offsets).containsExactly(8L * WINDOW, 9L * WINDOW, 0L, (long) WINDOW);
    assertThat(result.waits()).hasSize(4).containsOnly(MILLISECOND.toNanos());
    assertThat(result.bytesPerSecond()).isCloseTo(WINDOW * 1000.0, within(1.0));
  }

  @Test
  void severalAreUnderWayAndAllEnd() throws Exception {
    DeviceRun.Result result = run(4, 0, 20);
    assertThat(result.waits()).hasSizeGreaterThanOrEqualTo(20).hasSize(offsets.size());
    assertThat(result.waits())
        .as("one read after the other would take a millisecond each")
        .anyMatch(wait -> wait > MILLISECOND.toNanos());
    assertThat(result.bytesPerSecond()).isCloseTo(WINDOW * 1000.0, within(1.0));
  }

  @Test
  void eachWindowIsReadOnceWhenThereIsNoTime() throws Exception {
    run(4, 0, 0);
    assertThat(offsets).containsExactlyInAnyOrder(0L, (long) WINDOW, 2L * WINDOW, 3L * WINDOW);
  }

  @Test
  void deviceWithLessThanAWindowIsRefused() {
    size = WINDOW - ALIGNMENT;
    assertThatExceptionOfType(FallbackException.class)
        .isThrownBy(() -> run(1, 0, 1))
        .satisfies(e -> assertThat(e.reason()).isEqualTo(FallbackReason.DEVICE_MISMATCH))
        .withMessageContaining("slow");
  }
}
