// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.device;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;

/**
 * Contents that say themselves whose they may be: a bit for each block, below the content's number.
 * So who reads on another host can tell a foreign one from its eight bytes.
 */
final class Marks {
  /** Blocks that a content may have the name of, beside the one that it is made for. */
  private static final int OTHERS = 4;

  private static final Map<String, Long> BITS = new HashMap<>();

  static {
    for (int i = 0; i < AttackingWriter.BLOCKS; i++) {
      BITS.put(AttackingWriter.name(i), 1L << i);
    }
  }

  private Marks() {}

  /** Knows whose contents are. */
  interface Contents {
    /** Whether a content ever was, or may be, what a block's name leads to. */
    boolean isOf(long content, String name);
  }

  /** The content with this number, of a block and of a few others that are drawn by lot. */
  static long of(long number, String name, Random random) {
    long mark = ofNobody(number) | bit(name);
    for (int i = 0; i < OTHERS; i++) {
      mark |= 1L << random.nextInt(AttackingWriter.BLOCKS);
    }
    return mark;
  }

  /** The content with this number, which no block ever has. */
  static long ofNobody(long number) {
    return number << AttackingWriter.BLOCKS;
  }

  static boolean isOf(long content, String name) {
    return (content & bit(name)) != 0;
  }

  private static long bit(String name) {
    return BITS.getOrDefault(name, 0L);
  }
}
