// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.allocate;

import io.rdio.core.time.MonotonicClock;
import io.rdio.datanode.volume.AgentFences;

/** What becomes of slots whose lease is over. Thread-safe; touches no disk. */
final class SlotEnds {
  private final WriteConfig config;
  private final MonotonicClock clock;

  SlotEnds(WriteConfig config, MonotonicClock clock) {
    this.config = config;
    this.clock = clock;
  }

  /** No write was ever sent by the lease, and none will be: there is none that could land yet. */
  void unwritten(WriteLease.Lent lent) {
    quarantine(lent, AgentFences.NOBODY, clock.nanos());
  }

  /**
   * The lease is over, and each write was answered, or it was told nobody: {@code I} from now, in
   * which a fabric may do one a second time.
   */
  void quiet(WriteLease.Lent lent) {
    quarantine(lent, AgentFences.NOBODY, clock.nanos() + config.ioNanos());
  }

  /** The agent said that the lease is over, and a write not answered yet: {@code I} from now. */
  void underWay(WriteLease.Lent lent) {
    quarantine(lent, lent.hostKey(), clock.nanos() + config.ioNanos());
  }

  /** The lease ran out: {@code I} from then on. */
  void ranOut(WriteLease lease) {
    quarantine(lease.lent, lease.lent.hostKey(), lease.expiryNanos + config.ioNanos());
  }

  private static void quarantine(WriteLease.Lent lent, long hostKey, long dueNanos) {
    SlotVolume volume = lent.volume();
    volume.toInvalidate().add(lent.replica());
    volume
        .quarantine()
        .add(
            new Quarantine.Held(
                lent.staged(),
                lent.slot().number(),
                lent.slot().bytes(),
                lent.holder().address(),
                hostKey,
                dueNanos,
                false));
  }
}
