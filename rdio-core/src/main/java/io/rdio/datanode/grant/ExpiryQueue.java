// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.grant;

import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Leases by when they run out. A renewal only writes the lease's new end: the lease stays where it
 * is filed, and is filed anew when its turn comes there. So a renewal touches no other lease, and
 * what it leaves to be done is done once a term for each lease, in the order of their grants.
 *
 * <p>Leases are filed in buckets, each for a hundredth of a term, as in a timing wheel (Varghese
 * and Lauck, SOSP 1987), but for a tree in the wheel's place: there are never more than some
 * hundred buckets, and it does not matter how late anybody looks. Invariant: no lease is in a later
 * bucket than its end belongs to. Within a bucket they are in the order in which they were filed.
 * So one that ran out is found at once if all before it were filed in the order of their ends, as
 * granted ones are, and else once its bucket's time is over. Not thread-safe.
 */
final class ExpiryQueue {
  private static final int BUCKETS_IN_A_TERM = 100;

  private final TreeMap<Long, Bucket> buckets = new TreeMap<>();
  private final long width;

  /** Those that run out between two moments. */
  static final class Bucket {
    private final long number;
    private final LinkedDeque<HeldLease> leases = new LinkedDeque<>(HeldLease.BY_EXPIRY);

    private Bucket(long number) {
      this.number = number;
    }
  }

  /**
   * @param termNanos at least 1: so long before they run out leases are filed
   */
  ExpiryQueue(long termNanos) {
    this.width = Math.max(1, termNanos / BUCKETS_IN_A_TERM);
  }

  private long numberOf(long expiryNanos) {
    return Math.floorDiv(expiryNanos, width);
  }

  /**
   * The bucket for an end. What throws, an {@code Error} included, changes nothing. Its caller may
   * leave it empty: buckets are removed when their time is over.
   */
  Bucket bucket(long expiryNanos) {
    long number = numberOf(expiryNanos);
    Map.Entry<Long, Bucket> last = buckets.lastEntry();
    return last != null && last.getValue().number == number
        ? last.getValue()
        : buckets.computeIfAbsent(number, Bucket::new);
  }

  /** Files a lease that is not filed, in the bucket for its end. Allocates nothing. */
  void add(HeldLease lease, Bucket bucket) {
    bucket.leases.append(lease);
    lease.filed = bucket;
  }

  /** Takes out a lease, which may not be filed. */
  void remove(HeldLease lease) {
    Bucket bucket = lease.filed;
    if (bucket != null) {
      bucket.leases.unlink(lease);
      lease.filed = null;
    }
  }

  /** The lease whose turn it is to be looked at, if any that ran out before this may be filed. */
  @Nullable HeldLease first(long beforeNanos) {
    long before = numberOf(beforeNanos);
    while (!buckets.isEmpty() && buckets.firstKey() <= before) {
      HeldLease lease = buckets.firstEntry().getValue().leases.first();
      if (lease != null) {
        return lease;
      }
      buckets.pollFirstEntry();
    }
    return null;
  }

  /**
   * Files a lease anew, after its end was moved.
   *
   * @return false if it is in the right bucket already
   */
  boolean refile(HeldLease lease) {
    Bucket from = lease.filed;
    if (from != null && from.number == numberOf(lease.expiryNanos)) {
      return false;
    }
    Bucket to = bucket(lease.expiryNanos);
    remove(lease);
    add(lease, to);
    return true;
  }
}
