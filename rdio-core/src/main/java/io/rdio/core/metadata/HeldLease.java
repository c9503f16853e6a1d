// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.metadata;

import io.rdio.core.block.FileMap;
import io.rdio.core.lease.Lease;

/** A lease of this client with what renewal must know of it. Thread-safe. */
final class HeldLease {
  final FileMap map;
  private volatile long countedFromNanos;
  private volatile long termNanos;

  /**
   * @param countedFromNanos when the request that granted it was sent
   * @param termNanos as granted, margin included
   */
  HeldLease(FileMap map, long countedFromNanos, long termNanos) {
    this.map = map;
    this.countedFromNanos = countedFromNanos;
    this.termNanos = termNanos;
  }

  Lease lease() {
    return map.lease();
  }

  long termNanos() {
    return termNanos;
  }

  /** In use since it was granted or renewed, and past half of its term, but still valid. */
  boolean wantsRenewal(long nowNanos) {
    return lease().isValid(nowNanos)
        && nowNanos - countedFromNanos >= termNanos / 2
        && lease().lastUsedNanos() - countedFromNanos > 0;
  }

  void renewed(long sentNanos, long newTermNanos, long marginNanos, long nowNanos) {
    lease().renew(sentNanos + newTermNanos - marginNanos, nowNanos);
    termNanos = newTermNanos;
    countedFromNanos = sentNanos;
  }
}
