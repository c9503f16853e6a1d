// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.fault;

/** The endless content of a soak's file: each byte follows from the seed and its offset alone. */
final class SoakBytes {
  static final int ALL_RIGHT = -1;

  private SoakBytes() {}

  static byte[] of(long seed, long offset, int length) {
    byte[] bytes = new byte[length];
    for (int i = 0; i < length; i++) {
      bytes[i] = at(seed, offset + i);
    }
    return bytes;
  }

  /** Index of the first byte that is not the content's at this offset, or ALL_RIGHT. */
  static int firstWrong(long seed, long offset, byte[] bytes) {
    for (int i = 0; i < bytes.length; i++) {
      if (bytes[i] != at(seed, offset + i)) {
        return i;
      }
    }
    return ALL_RIGHT;
  }

  /** SplitMix64's output function (Steele, Lea, Flood 2014) of the eight bytes' number. */
  private static byte at(long seed, long offset) {
    long z = seed + (offset >> 3) * 0x9E3779B97F4A7C15L;
    z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return (byte) ((z ^ (z >>> 31)) >>> ((offset & 7) << 3));
  }
}
