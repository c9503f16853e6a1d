// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.direct;

import io.rdio.client.route.Route;
import io.rdio.client.route.Router;
import io.rdio.core.FallbackException;
import io.rdio.hdfs.client.way.BlockToRead;
import io.rdio.hdfs.client.way.BlockWay;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * By the device while that is the faster one, for reads that have nothing to do with each other.
 * What a DataNode is to read, or is to be tried for, has a {@link RoutedWay} each, which chooses
 * again: Hadoop's own read would choose a DataNode and open the block only for that to choose, and
 * open, once more.
 */
final class PositionalRoutedWay implements BlockWay {
  private final Routing routing;
  private final PositionalDeviceWay device;
  private final BlockToRead block;

  PositionalRoutedWay(Routing routing, PositionalDeviceWay device, BlockToRead block) {
    this.routing = routing;
    this.device = device;
    this.block = block;
  }

  /** Either of the device's two reads. */
  @FunctionalInterface
  private interface DeviceRead<T> {
    int by(PositionalDeviceWay device, long offset, T target, int at, int count)
        throws FallbackException;
  }

  private static final DeviceRead<byte[]> TO_ARRAY = PositionalDeviceWay::read;
  private static final DeviceRead<ByteBuffer> TO_BUFFER = PositionalDeviceWay::read;

  @Override
  public int read(long offset, byte[] target, int at, int count) throws FallbackException {
    return read(TO_ARRAY, offset, target, at, count);
  }

  @Override
  public int read(long offset, ByteBuffer target, int at, int count) throws FallbackException {
    return read(TO_BUFFER, offset, target, at, count);
  }

  private <T> int read(DeviceRead<T> read, long offset, T target, int at, int count)
      throws FallbackException {
    Router router = routing.routers().positional(device.deviceIdentity(), count);
    if (!router.staysWith(Route.DEVICE)) {
      return NOT_NOW;
    }
    long start = routing.now();
    int underWay = router.begin(Route.DEVICE);
    int served;
    try {
      served = read.by(device, offset, target, at, count);
    } finally {
      router.end(Route.DEVICE);
    }
    if (served == count) {
      router.sample(Route.DEVICE, underWay, routing.now() - start);
    }
    return served;
  }

  /** {@inheritDoc} None once the map is gone: it is not waited for here. */
  @Override
  public @Nullable BlockWay onlyOnce(long end) {
    return device.isMapped() ? RoutedWay.onlyOnce(routing, device.device(), block.upTo(end)) : null;
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
