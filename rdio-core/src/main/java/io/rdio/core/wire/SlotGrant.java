// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.wire;

import io.rdio.core.block.BlockKey;
import io.rdio.core.device.DeviceIdentity;
import io.rdio.core.extent.ExtentList;

/**
 * A slot under a write lease: where one agent may write one replica, and what the device must show
 * there before. Immutable.
 *
 * @param incarnation of the DataNode that granted it
 * @param leaseMillis the lease's term, 1 to {@link WriteCodec#LEASE_MILLIS_MAX}
 * @param ioMillis {@code I}: how long the DataNode leaves the slot alone behind the lease; 1 to
 *     {@link WriteCodec#LEASE_MILLIS_MAX}
 * @param device that the extents count from
 * @param extents of the slot in the order of its bytes: 1 to {@link WriteCodec#EXTENTS_MAX}, each
 *     of whole units at a multiple of the unit, {@link WriteCodec#BLOCK_BYTES_MAX} at most in all
 * @param slot its number, which the stamp at the start of each extent has
 * @param nonce which the stamps have, too; new each time that the slot comes to the pool
 * @param unit bytes that are written at once at least, a power of two
 * @param fenced whether the DataNode shuts the host out of the device before the slot is somebody
 *     else's, unless it is quiet: then what was asked for before its registration is void
 */
public record SlotGrant(
    long incarnation,
    long leaseId,
    long leaseMillis,
    long ioMillis,
    BlockKey block,
    DeviceIdentity device,
    String storageId,
    ExtentList extents,
    long slot,
    long nonce,
    int unit,
    boolean fenced) {

  /**
   * @throws IllegalArgumentException if it does not add up, saying what does not
   */
  public SlotGrant {
    SlotAsk.requireStorageId(storageId);
    Sane.check(
        leaseMillis >= 1 && leaseMillis <= WriteCodec.LEASE_MILLIS_MAX,
        "milliseconds of the write lease",
        leaseMillis);
    Sane.check(
        ioMillis >= 1 && ioMillis <= WriteCodec.LEASE_MILLIS_MAX,
        "milliseconds of a write",
        ioMillis);
    Sane.check(
        unit >= WriteCodec.UNIT_MIN && unit <= WriteCodec.UNIT_MAX && Integer.bitCount(unit) == 1,
        "unit of the slot",
        unit);
    requireExtents(extents, unit, device);
  }

  private static void requireExtents(ExtentList extents, int unit, DeviceIdentity device) {
    int count = extents.count();
    Sane.check(count >= 1 && count <= WriteCodec.EXTENTS_MAX, "number of extents", count);
    Sane.check(
        extents.length() <= WriteCodec.BLOCK_BYTES_MAX, "bytes of the slot", extents.length());
    for (int i = 0; i < count; i++) {
      Sane.check(extents.physical(i) % unit == 0, "start of an extent", extents.physical(i));
      long length = extents.end(i) - extents.start(i);
      Sane.check(length % unit == 0, "length of an extent", length);
    }
    Sane.check(!extents.overlaps(), "number of extents, some of which overlap,", count);
    Sane.check(
        extents.physicalEnd() <= device.sizeBytes(), "end of extents", extents.physicalEnd());
  }
}
