// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.client.ReadGeometry;
import io.rdio.core.FallbackException;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.device.BlockDevice;
import io.rdio.core.device.DeviceDepth;
import io.rdio.core.testing.DeferredQueue;
import io.rdio.core.testing.ForwardingDevice;
import io.rdio.core.testing.OneDevice;
import io.rdio.core.testing.ReadFixture;
import io.rdio.core.testing.ReadPools;
import io.rdio.core.testing.TestBlock;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** Long runs in place: what they have under way, and what they say of their device's depth. */
final class InPlaceRunTest {
  private static final int MIB = 1 << 20;
  private static final int CALL = 6 * MIB;
  private static final int CALLS = 2;
  private static final int LENGTH = CALLS * CALL + MIB;
  private static final int ALIGNMENT = 512;

  /** What a run may have while all memory is free. */
  private static final long BUDGET = ReadFixture.MEMORY / 16;

  private final TestBlock block =
      new TestBlock(7, LENGTH, ChecksumSpec.Type.CRC32C, 512, 4096, 1 << 30);
  private final ReadFixture fixture =
      new ReadFixture(
          block,
          ALIGNMENT,
          ReadPools.lendingBy(
              ReadFixture.MEMORY,
              windows ->
                  new ReadAheadPool(windows, DeviceDepth.MOST, () -> new DeferredQueue(LENGTH))));
  private final DeviceDepth depth = new DeviceDepth();
  private final ReadContext context =
      fixture.pools.context(
          fixture.maps,
          new OneDevice(block.identity, new WatchedDevice(fixture.device)),
          fixture.clock);
  private final ByteBuffer target =
      ByteBuffer.allocateDirect(CALL + 2 * ALIGNMENT).alignedSlice(ALIGNMENT);
  private long mostLent;

  /** Looks at each read how much memory readers hold, and has a depth of its own. */
  private final class WatchedDevice extends ForwardingDevice {
    WatchedDevice(BlockDevice device) {
      super(device);
    }

    @Override
    public DeviceDepth depth() {
      return depth;
    }

    @Override
    public void read(long offset, ByteBuffer to) throws FallbackException {
      mostLent = Math.max(mostLent, fixture.windows.lentBytes());
      super.read(offset, to);
    }
  }

  private void readInPlace(ExtentReader reader) throws FallbackException {
    for (int i = 0; i < CALLS; i++) {
      reader.read((long) i * CALL, target, 0, CALL);
      assertThat(target.slice(0, CALL).equals(ByteBuffer.wrap(block.bytes, i * CALL, CALL)))
          .isTrue();
      assertThat(fixture.windows.lentBytes()).as("nothing is read ahead").isZero();
    }
  }

  @Test
  void hasNoMoreUnderWayThanARunMayHave() throws Exception {
    try (ExtentReader reader = ExtentReader.open(context, block.request, true, LENGTH)) {
      readInPlace(reader);
    }
    assertThat(mostLent).isBetween(BUDGET, BUDGET + WindowPool.bytes(ReadGeometry.LONG_WINDOW));
  }

  @Test
  void isOneOfTheDevicesRunsUntilItEnds() throws Exception {
    try (ExtentReader reader = ExtentReader.open(context, block.request, true, LENGTH)) {
      readInPlace(reader);
      assertThat(depth.first(DeviceDepth.MOST)).isEqualTo(DeviceDepth.USUAL / 2);
    }
    assertThat(depth.first(DeviceDepth.MOST)).isEqualTo(DeviceDepth.USUAL);
  }
}
