// SPDX-License-Identifier: Apache-2.0
package io.rdio.exclusive.eviction;

import io.rdio.core.time.MonotonicClock;
import io.rdio.core.time.Validity;
import org.jspecify.annotations.Nullable;

/**
 * Epochs of what leases vouch for: one ends, at the latest, when its lease runs out, is recalled or
 * given up. Leases share slots, so an epoch may end for another lease's sake, which costs an
 * eviction but never lets a wrong address pass. Thread-safe.
 */
final class LeaseEpochs implements ExtentEpochs {
  private static final int SLOTS = 1 << 13;

  private final MonotonicClock clock;
  private final @Nullable Validity[] leases = new Validity[SLOTS];
  private final int[] epochs = new int[SLOTS];

  /** The epoch of a lease. */
  record Stamp(int slot, int epoch) {}

  /**
   * @param clock the one that leases run on
   */
  LeaseEpochs(MonotonicClock clock) {
    this.clock = clock;
  }

  /** The present epoch of a lease; null if it vouches for nothing any more. */
  synchronized @Nullable Stamp stamp(Validity lease) {
    if (!lease.admits(clock.nanos())) {
      return null;
    }
    int slot = System.identityHashCode(lease) & (SLOTS - 1);
    if (leases[slot] != lease) {
      leases[slot] = lease;
      epochs[slot]++;
    }
    return new Stamp(slot, epochs[slot]);
  }

  @Override
  public synchronized int epoch(int slot) {
    if (slot == NEVER_CHANGES) {
      return 0;
    }
    Validity lease = leases[slot];
    if (lease != null && !lease.admits(clock.nanos())) {
      leases[slot] = null;
      epochs[slot]++;
    }
    return epochs[slot];
  }

  /** Not to be called: what leases vouch for has its place already. */
  @Override
  public int slot(int kernelDevice, long inode) {
    throw new IllegalStateException("inode " + inode + " has no lease");
  }
}
