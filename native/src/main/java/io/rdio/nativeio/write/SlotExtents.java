// SPDX-License-Identifier: Apache-2.0
package io.rdio.nativeio.write;

/**
 * Where a slot is on its device: extents in the slot's order, and the unit that it is written by.
 * Nothing is checked here: the library checks all of it when a lease is made. Immutable.
 */
public final class SlotExtents {
  private final long[] places;
  private final long[] lengths;
  private final int unit;

  /**
   * The extents of a slot.
   *
   * @param places byte offsets on the device, each a multiple of the unit
   * @param lengths bytes of each extent, whole units
   * @param unit bytes: a power of two from 512 to 64 KiB, of whole blocks of the device
   */
  public SlotExtents(long[] places, long[] lengths, int unit) {
    this.places = places.clone();
    this.lengths = lengths.clone();
    this.unit = unit;
  }

  long leaseOf(long writer, long deadlineNanos) {
    return WriteCalls.lease(writer, places, lengths, unit, deadlineNanos);
  }
}
