// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.ext4;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * CRC-32C as ext4 and jbd2 use it: from any state to the next, without an inversion at the end.
 *
 * <p>{@link CRC32C} starts from all ones only. Any other state is what four certain bytes make of
 * all ones, because a CRC maps its register one to one over each 32 bits that it takes in; so those
 * bytes go first. They are found by running the register backwards.
 */
public final class Crc32c {
  /** The state that chains of checksums start from. */
  public static final int START = -1;

  private static final int POLYNOMIAL = 0x82F63B78;

  private Crc32c() {}

  /** The state behind the bytes from the buffer's position to its limit, which do not move. */
  public static int extend(int state, ByteBuffer bytes) {
    CRC32C crc = new CRC32C();
    if (state != START) {
      int first = ~backwards(state);
      for (int i = 0; i < Integer.BYTES; i++) {
        crc.update(first >>> (Byte.SIZE * i));
      }
    }
    crc.update(bytes.duplicate());
    return ~(int) crc.getValue();
  }

  /** The state behind a number of 32 bits, in little-endian order. */
  public static int extend(int state, int number) {
    int next = state ^ number;
    for (int i = 0; i < Integer.SIZE; i++) {
      next = (next >>> 1) ^ (POLYNOMIAL & -(next & 1));
    }
    return next;
  }

  // The polynomial's highest bit is set and a shift clears that bit, so it tells which step it was.
  private static int backwards(int state) {
    int previous = state;
    for (int i = 0; i < Integer.SIZE; i++) {
      previous = previous < 0 ? ((previous ^ POLYNOMIAL) << 1) | 1 : previous << 1;
    }
    return previous;
  }
}
