// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.runtime;

import io.rdio.client.counters.ClientCounters;
import io.rdio.client.plane.grant.GrantPlane;
import io.rdio.client.plane.grant.WriteSettings;
import io.rdio.client.write.BlockWriters;
import io.rdio.client.write.SlotDevices;
import io.rdio.core.device.DeviceDirectory;
import io.rdio.core.time.MonotonicClock;
import org.jspecify.annotations.Nullable;

/** Puts the part of a client together that writes. */
final class WriteRuntime {
  private WriteRuntime() {}

  /**
   * What writes, not started; nothing where no writes are wanted.
   *
   * @param settings of the whole client
   * @param grants whose sessions writes share; null where no DataNode is asked for anything: then
   *     nothing can be written
   */
  static @Nullable BlockWriters writers(
      RuntimeSettings settings,
      @Nullable GrantPlane grants,
      DeviceDirectory devices,
      MonotonicClock clock,
      ClientCounters counters) {
    WriteSettings writes = settings.writes();
    return writes == null || grants == null
        ? null
        : new BlockWriters(
            grants.writes(writes),
            new SlotDevices(devices, clock, writes.deviceTimeout()),
            clock,
            writes.commitSilence().plus(settings.metadata().rpcTimeout()),
            counters.keeperFailures);
  }
}
