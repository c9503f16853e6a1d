// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

/**
 * Chunks of one size, side by side from a block's first byte on. A small read asks ten times where
 * they begin and end: where their size is a power of two, as it nearly always is, a shift says so,
 * and no division of longs, which takes many times as long.
 *
 * @param bytes of each, at least 1
 * @param shift the power of two that this is; -1 if it is none
 */
record Chunks(int bytes, int shift) {
  private static final int NONE = -1;

  /** Such of a size, at least 1 byte. */
  static Chunks of(int bytes) {
    boolean isPower = (bytes & (bytes - 1)) == 0;
    return new Chunks(bytes, isPower ? Integer.numberOfTrailingZeros(bytes) : NONE);
  }

  /** How many whole ones there are in so many bytes, 0 or more. */
  long in(long length) {
    return shift == NONE ? length / bytes : length >> shift;
  }

  /** How many it takes to hold so many bytes, 0 or more. */
  long over(long length) {
    return in(length + bytes - 1);
  }

  /** Where the one begins that holds an offset, 0 or more. */
  long floor(long offset) {
    return in(offset) * bytes;
  }
}
