// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.direct;

import io.rdio.client.read.ReadContext;
import io.rdio.core.FallbackException;
import io.rdio.core.block.BlockKey;
import io.rdio.core.device.DeviceIdentity;
import io.rdio.hdfs.client.way.BlockToRead;
import io.rdio.hdfs.client.way.BlockWay;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * By the device, for reads that have nothing to do with each other, while the block's map is here:
 * where it is not, whoever opens the block for one read decides whether that waits for it.
 */
final class PositionalDeviceWay implements BlockWay {
  private final ReadContext context;
  private final BlockKey key;
  private final DeviceWay device;

  private PositionalDeviceWay(ReadContext context, BlockKey key, DeviceWay device) {
    this.context = context;
    this.key = key;
    this.device = device;
  }

  /**
   * Does not wait.
   *
   * @return null where the map is not here
   * @throws FallbackException why stock HDFS must serve this block
   */
  static @Nullable PositionalDeviceWay open(ReadContext context, BlockToRead block)
      throws FallbackException {
    BlockKey key = block.request().block();
    return context.maps().holds(key)
        ? new PositionalDeviceWay(context, key, DeviceWay.openPositional(context, block))
        : null;
  }

  /** Whether the block's map is still here. */
  boolean isMapped() {
    return context.maps().holds(key);
  }

  /** The device, whether or not the map is here: without it a read may wait. */
  DeviceWay device() {
    return device;
  }

  DeviceIdentity deviceIdentity() {
    return device.reader().deviceIdentity();
  }

  @Override
  public int read(long offset, byte[] target, int at, int count) throws FallbackException {
    return device.readMapped(offset, target, at, count);
  }

  @Override
  public int read(long offset, ByteBuffer target, int at, int count) throws FallbackException {
    return device.readMapped(offset, target, at, count);
  }

  @Override
  public boolean isByDevice() {
    return true;
  }

  @Override
  public int networkDistance() {
    return device.networkDistance();
  }

  @Override
  public void close() {
    device.close();
  }
}
