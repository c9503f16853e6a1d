// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.direct;

import io.rdio.client.read.ReadContext;
import io.rdio.client.route.Routers;
import io.rdio.hdfs.client.way.BlockWays;
import java.util.List;

/** The ways of a client that opens the devices itself. */
public final class DeviceWays {
  private DeviceWays() {}

  /** First bytes, for they are open only while the map is not; then the device. */
  public static BlockWays of(ReadContext context, Detours detours) {
    Routers routers = detours.routers();
    return new BlockWays(
        context.counters(),
        List.of(
            block -> FirstBytesWay.open(context, detours, block),
            routers == null
                ? block -> DeviceWay.open(context, block)
                : block -> RoutedWay.open(context, routers, block)));
  }
}
