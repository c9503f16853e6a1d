// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.ext4;

import java.util.OptionalInt;

/**
 * The hashes of names that directories' trees go by: of the first 32-bit word of MD4 with rounds of
 * eight steps, of TEA, or of what came before both; each with bytes that have a sign or have none,
 * as the machine had that made the file system.
 *
 * <p>Sources: Documentation/filesystems/ext4/directory.rst of Linux; RFC 1320 for MD4; Wheeler and
 * Needham, "TEA, a Tiny Encryption Algorithm" (1994).
 */
final class DirectoryHash {
  private static final int LEGACY = 0;
  private static final int HALF_MD4 = 1;
  private static final int TEA = 2;

  /** Versions from this one on are those before it with bytes that have no sign. */
  private static final int UNSIGNED = 3;

  /** What MD4 starts from. */
  private static final int[] START = {0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476};

  /** The largest hash marks the end, so no name has it. */
  private static final int END = 0xFFFFFFFE;

  // For each of the three rounds, which word each step takes in, how far it turns, and its
  // constant.
  private static final int[][] MD4_WORDS = {
    {0, 1, 2, 3, 4, 5, 6, 7}, {1, 3, 5, 7, 0, 2, 4, 6}, {3, 7, 2, 6, 1, 5, 0, 4}
  };
  private static final int[][] MD4_TURNS = {{3, 7, 11, 19}, {3, 5, 9, 13}, {3, 9, 11, 15}};
  private static final int[] MD4_CONSTANTS = {0, 0x5A827999, 0x6ED9EBA1};

  private static final int LEGACY_FACTOR = 7152373;
  private static final int TEA_DELTA = 0x9E3779B9;
  private static final int TEA_ROUNDS = 16;

  private final byte[] name;
  private final boolean signed;
  private final int[] state = new int[START.length];

  private DirectoryHash(Ext4Superblock superblock, byte[] name, boolean signed) {
    this.name = name;
    this.signed = signed;
    boolean seeded = false;
    for (int i = 0; i < START.length; i++) {
      state[i] = superblock.hashSeed(i);
      seeded |= state[i] != 0;
    }
    if (!seeded) {
      System.arraycopy(START, 0, state, 0, START.length);
    }
  }

  /** The hash of a name, unsigned; empty for a version that is not known here. */
  static OptionalInt of(Ext4Superblock superblock, int version, byte[] name) {
    if (version >= 2 * UNSIGNED) {
      return OptionalInt.empty();
    }
    boolean signed = version < UNSIGNED && !superblock.unsignedHash();
    DirectoryHash hash = new DirectoryHash(superblock, name, signed);
    int whole =
        switch (version % UNSIGNED) {
          case LEGACY -> hash.legacy();
          case HALF_MD4 -> hash.halfMd4();
          case TEA -> hash.tea();
          default -> throw new IllegalStateException("version " + version);
        };
    // The lowest bit is for the tree: set where names of one hash go on in another block.
    int even = whole & ~1;
    return OptionalInt.of(even == END ? END - 2 : even);
  }

  private int legacy() {
    int last = 0x12A3FE2D;
    int beforeLast = 0x37ABE8F9;
    for (int i = 0; i < name.length; i++) {
      int next = beforeLast + (last ^ (character(i) * LEGACY_FACTOR));
      beforeLast = last;
      last = next < 0 ? next - 0x7FFFFFFF : next;
    }
    return last << 1;
  }

  private int halfMd4() {
    for (int at = 0; at < name.length; at += 32) {
      int[] words = words(at, 8);
      int[] mixed = state.clone();
      for (int step = 0; step < 24; step++) {
        md4Step(mixed, words, step / 8, step % 8);
      }
      for (int i = 0; i < state.length; i++) {
        state[i] += mixed[i];
      }
    }
    return state[1];
  }

  /** One step: it changes a, d, c, b in turn, by the three that are behind it in that circle. */
  private static void md4Step(int[] mixed, int[] words, int round, int step) {
    int changed = -step & 3;
    int x = mixed[(changed + 1) & 3];
    int y = mixed[(changed + 2) & 3];
    int z = mixed[(changed + 3) & 3];
    int function =
        switch (round) {
          case 0 -> (x & y) | (~x & z);
          case 1 -> (x & y) | (x & z) | (y & z);
          default -> x ^ y ^ z;
        };
    int sum = mixed[changed] + function + words[MD4_WORDS[round][step]] + MD4_CONSTANTS[round];
    mixed[changed] = Integer.rotateLeft(sum, MD4_TURNS[round][step & 3]);
  }

  private int tea() {
    for (int at = 0; at < name.length; at += 16) {
      int[] key = words(at, 4);
      int left = state[0];
      int right = state[1];
      int sum = 0;
      for (int round = 0; round < TEA_ROUNDS; round++) {
        sum += TEA_DELTA;
        left += ((right << 4) + key[0]) ^ (right + sum) ^ ((right >>> 5) + key[1]);
        right += ((left << 4) + key[2]) ^ (left + sum) ^ ((left >>> 5) + key[3]);
      }
      state[0] += left;
      state[1] += right;
    }
    return state[0];
  }

  /**
   * The next characters of the name in words, the first one highest; where it ends before they do,
   * bytes of the length that was left are above and behind the characters.
   */
  private int[] words(int from, int count) {
    int left = name.length - from;
    int padding = (left & 0xFF) * 0x01010101;
    int[] words = new int[count];
    for (int i = 0; i < count; i++) {
      int word = padding;
      int end = Math.min(from + 4 * (i + 1), name.length);
      for (int at = from + 4 * i; at < end; at++) {
        word = character(at) + (word << 8);
      }
      words[i] = word;
    }
    return words;
  }

  private int character(int at) {
    return signed ? name[at] : name[at] & 0xFF;
  }
}
