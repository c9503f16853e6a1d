// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.allocate;

import io.rdio.core.time.MonotonicClock;

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
    quarantine(lent, clock.nanos());
  }

  /** The agent said that the lease is over, or never heard of it: {@code I} from now. */
  void ended(WriteLease.Lent lent) {
    quarantine(lent, clock.nanos() + config.ioNanos());
  }

  /** The lease ran out: {@code I} from then on. */
  void ranOut(WriteLease lease) {
    quarantine(lease.lent, lease.expiryNanos + config.ioNanos());
  }

  private static void quarantine(WriteLease.Lent lent, long dueNanos) {
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
                dueNanos));
  }
}
