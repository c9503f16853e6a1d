// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.grant;

import java.util.concurrent.TimeUnit;

/**
 * Times and caps of granting.
 *
 * @param leaseMillis term of a lease, at least 1 s
 * @param maxIoMillis how long a device read of a client may take at most; extents stay pinned this
 *     much longer than the leases on them
 * @param pinsPerVolume blocks pinned at a time on one volume, at least 1
 * @param pinnedDeletedBytesPerVolume bytes of blocks that HDFS let go and pins still hold, on one
 *     volume; at this no more is granted there
 * @param leasesPerAddress leases of the clients at one address, at least 1; requests under way may
 *     exceed it by their batch
 * @param pinnedBytesPerAddress bytes of the blocks under those leases, each lease counted, at least
 *     1; requests under way may exceed it by their blocks
 * @param batchMax blocks in one request, at least 1
 */
public record GrantConfig(
    long leaseMillis,
    long maxIoMillis,
    int pinsPerVolume,
    long pinnedDeletedBytesPerVolume,
    int leasesPerAddress,
    long pinnedBytesPerAddress,
    int batchMax) {

  public GrantConfig {
    check(leaseMillis >= 1_000, "lease duration", leaseMillis + " ms", "1s or more");
    check(leaseMillis <= 86_400_000, "lease duration", leaseMillis + " ms", "1d or less");
    check(maxIoMillis >= 0, "maximum I/O time", maxIoMillis + " ms", "0 or more");
    check(maxIoMillis <= 86_400_000, "maximum I/O time", maxIoMillis + " ms", "1d or less");
    check(pinsPerVolume >= 1, "pins per volume", "" + pinsPerVolume, "1 or more");
    check(
        pinnedDeletedBytesPerVolume >= 1,
        "pinned deleted bytes per volume",
        "" + pinnedDeletedBytesPerVolume,
        "1 or more");
    check(leasesPerAddress >= 1, "leases per address", "" + leasesPerAddress, "1 or more");
    check(
        pinnedBytesPerAddress >= 1,
        "pinned bytes per address",
        "" + pinnedBytesPerAddress,
        "1 or more");
    check(batchMax >= 1, "blocks in one grant request", "" + batchMax, "1 or more");
  }

  private static void check(boolean ok, String what, String value, String allowed) {
    if (!ok) {
      throw new IllegalArgumentException(what + " is " + value + "; set it to " + allowed);
    }
  }

  /** How long a pin must outlive the moment at which a lease on it was last granted or renewed. */
  public long holdMillis() {
    return leaseMillis + maxIoMillis;
  }

  /** {@link #holdMillis} in nanoseconds. */
  public long holdNanos() {
    return TimeUnit.MILLISECONDS.toNanos(holdMillis());
  }
}
