// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.direct;

import io.rdio.client.read.ExtentRanges;
import io.rdio.client.read.ReadContext;
import io.rdio.client.route.Routers;
import io.rdio.core.FallbackException;
import io.rdio.core.block.RangeReads;
import io.rdio.hdfs.client.way.BlockToRead;
import io.rdio.hdfs.client.way.BlockWay;
import io.rdio.hdfs.client.way.BlockWays;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** The ways of a client that opens the devices itself. */
public final class DeviceWays {
  private DeviceWays() {}

  /** First bytes, for they are open only while the map is not; then the device. */
  public static BlockWays of(ReadContext context, Detours detours) {
    return of(context, detours, null);
  }

  /**
   * The same, of which runs may go by device and DataNode at once.
   *
   * @param threads that bring what a run wants of a DataNode meanwhile; null where none does
   */
  public static BlockWays of(ReadContext context, Detours detours, @Nullable Executor threads) {
    return of(context, detours, threads, System::nanoTime);
  }

  /**
   * The same.
   *
   * @param nanos as System.nanoTime, for what reads take
   */
  public static BlockWays of(
      ReadContext context, Detours detours, @Nullable Executor threads, LongSupplier nanos) {
    Routers routers = detours.routers();
    DeviceOpener device = new DeviceOpener(context, detours.firstBytes());
    return new BlockWays(
        context.counters(),
        List.of(
            block -> FirstBytesWay.open(context, detours, block),
            routers == null
                ? device
                : new RoutedOpener(new Routing(context, routers, threads, nanos), device)));
  }

  /** Opens the device and the DataNode. */
  private record RoutedOpener(Routing routing, DeviceOpener byDevice) implements BlockWay.Opener {
    @Override
    public BlockWay open(BlockToRead block) throws FallbackException {
      return RoutedWay.open(routing, block);
    }

    @Override
    public boolean mayHaveRanges() {
      return byDevice.mayHaveRanges();
    }

    @Override
    public @Nullable RangeReads openRanges(BlockToRead block, long wanted)
        throws FallbackException {
      ExtentRanges ranges = byDevice.openRanges(block, wanted);
      return ranges == null
          ? null
          : RoutedRanges.of(routing.context(), routing.routers(), ranges, wanted);
    }

    @Override
    public @Nullable BlockWay openPositional(BlockToRead block) throws FallbackException {
      PositionalDeviceWay device = PositionalDeviceWay.open(routing.context(), block);
      return device == null ? null : new PositionalRoutedWay(routing, device, block);
    }
  }

  /** Opens the device. */
  private record DeviceOpener(ReadContext context, long firstBytes) implements BlockWay.Opener {
    @Override
    public BlockWay open(BlockToRead block) throws FallbackException {
      return DeviceWay.open(context, block);
    }

    /** Not where the block data cache is for reads one by one. */
    @Override
    public boolean mayHaveRanges() {
      return context.dataCache() == null;
    }

    /** None where a map for so little is not worth while either. */
    @Override
    public @Nullable ExtentRanges openRanges(BlockToRead block, long wanted)
        throws FallbackException {
      boolean little = wanted <= firstBytes && !context.maps().holds(block.request().block());
      if (little || !mayHaveRanges()) {
        return null;
      }
      return ExtentRanges.open(
          context,
          block.request(),
          block.verifyChecksum(),
          block.length(),
          (suspect, from, count) -> DeviceWay.askAbout(context, block, suspect, from, count));
    }

    @Override
    public @Nullable BlockWay openPositional(BlockToRead block) throws FallbackException {
      return PositionalDeviceWay.open(context, block);
    }
  }
}
