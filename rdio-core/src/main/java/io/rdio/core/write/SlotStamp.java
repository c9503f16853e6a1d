// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.write;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * What the DataNode writes to the start of each extent of a slot that nobody has, and what an agent
 * looks for on its own view of the device before it writes there. It fills a unit. An agent that
 * has the wrong device, the wrong start of a partition or an old map does not find it.
 *
 * <p>On the device, in big-endian order: magic, slot, nonce, number, unit, zeros, and in the last
 * four bytes a CRC-32C of all bytes before them. So a unit that was written in part is no stamp.
 *
 * @param slot the slot's number on its volume
 * @param nonce of this stay in the pool: a new one each time that the slot comes to the pool
 * @param number of the extent in the slot, from 0 to below {@link #EXTENTS_MAX}
 * @param unit bytes of the stamp: a power of two from {@link #UNIT_MIN} to {@link #UNIT_MAX}
 */
public record SlotStamp(long slot, long nonce, int number, int unit) {
  /** Extents of a slot. */
  public static final int EXTENTS_MAX = 64;

  /** Bytes of the smallest unit: a sector. */
  public static final int UNIT_MIN = 512;

  /** Bytes of the largest unit: the largest block of a file system. */
  public static final int UNIT_MAX = 64 << 10;

  private static final long MAGIC = 0x5244494F534C4F54L; // "RDIOSLOT"
  private static final int SLOT_AT = Long.BYTES;
  private static final int NONCE_AT = 2 * Long.BYTES;
  private static final int NUMBER_AT = 3 * Long.BYTES;
  private static final int UNIT_AT = NUMBER_AT + Integer.BYTES;
  private static final int ZEROS_AT = UNIT_AT + Integer.BYTES;

  /**
   * A stamp.
   *
   * @throws IllegalArgumentException if the extent's number or the unit is out of range
   */
  public SlotStamp {
    if (number < 0 || number >= EXTENTS_MAX) {
      throw new IllegalArgumentException(
          "extent " + number + " of slot " + slot + " is not in 0.." + (EXTENTS_MAX - 1));
    }
    if (!isUnit(unit)) {
      throw new IllegalArgumentException(
          "unit of " + unit + " bytes is no power of two in " + UNIT_MIN + ".." + UNIT_MAX);
    }
  }

  private static boolean isUnit(int bytes) {
    return bytes >= UNIT_MIN && bytes <= UNIT_MAX && Integer.bitCount(bytes) == 1;
  }

  /**
   * Writes the unit to a buffer at its position, which moves behind it; the buffer's order is left
   * alone.
   *
   * @throws java.nio.BufferOverflowException if less than a unit is left of the buffer
   */
  public void encode(ByteBuffer target) {
    ByteBuffer bytes = ByteBuffer.allocate(unit);
    bytes.putLong(MAGIC).putLong(slot).putLong(nonce).putInt(number).putInt(unit);
    bytes.putInt(unit - Integer.BYTES, crcOf(bytes)).clear();
    target.put(bytes);
  }

  /**
   * The stamp that a unit holds; nothing if the bytes are no stamp, or one of another unit, or if
   * any of them is not as {@link #encode} has it.
   *
   * @param bytes a unit from the position to the limit, which do not move
   */
  public static Optional<SlotStamp> decode(ByteBuffer bytes) {
    ByteBuffer shown = bytes.slice().order(ByteOrder.BIG_ENDIAN);
    int unit = shown.limit();
    if (!isUnit(unit)
        || shown.getLong(0) != MAGIC
        || shown.getInt(UNIT_AT) != unit
        || shown.getInt(unit - Integer.BYTES) != crcOf(shown)
        || !isZero(shown.slice(ZEROS_AT, unit - Integer.BYTES - ZEROS_AT))) {
      return Optional.empty();
    }
    int number = shown.getInt(NUMBER_AT);
    return number < 0 || number >= EXTENTS_MAX
        ? Optional.empty()
        : Optional.of(new SlotStamp(shown.getLong(SLOT_AT), shown.getLong(NONCE_AT), number, unit));
  }

  /** Whether a unit from a buffer's position to its limit is this stamp and no other. */
  public boolean isShownBy(ByteBuffer bytes) {
    return decode(bytes).filter(this::equals).isPresent();
  }

  private static int crcOf(ByteBuffer unit) {
    CRC32C crc = new CRC32C();
    crc.update(unit.slice(0, unit.capacity() - Integer.BYTES));
    return (int) crc.getValue();
  }

  private static boolean isZero(ByteBuffer bytes) {
    return bytes.mismatch(ByteBuffer.allocate(bytes.limit())) < 0;
  }
}
