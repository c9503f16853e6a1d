// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.hdfs;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.apache.hadoop.util.StringUtils.TraditionalBinaryPrefix;

/** Sizes as options and reports have them. */
public final class Sizes {
  private static final int UNIT = 4096;
  private static final long KIBI = 1L << 10;
  private static final String[] UNITS = {"B", "KiB", "MiB", "GiB", "TiB"};

  private Sizes() {}

  /**
   * A number of bytes with Hadoop's suffixes, such as 64k.
   *
   * @throws IllegalArgumentException naming the option's value, if it is no such number above 0
   */
  public static long parse(String text) {
    long bytes;
    try {
      bytes = TraditionalBinaryPrefix.string2long(text.strip());
    } catch (IllegalArgumentException | IndexOutOfBoundsException e) { // The latter for no text.
      throw new IllegalArgumentException("'" + text + "': not a size; write it like 64k or 2g", e);
    }
    if (bytes <= 0) {
      throw new IllegalArgumentException(text + ": must be greater than 0");
    }
    return bytes;
  }

  /**
   * Sizes of reads: {@code 4k,64k,1m}, or {@code 32k..1m} for 32 KiB and what doubling it gives up
   * to 1 MiB.
   *
   * @throws IllegalArgumentException also if one is no multiple of 4096, which O_DIRECT asks for
   *     where the ways are to read the same, or above 1 GiB
   */
  public static List<Integer> parseReads(String text) {
    List<Integer> sizes = new ArrayList<>();
    for (String part : text.split(",", -1)) {
      int dots = part.indexOf("..");
      int from = parseRead(dots < 0 ? part : part.substring(0, dots));
      int to = dots < 0 ? from : parseRead(part.substring(dots + 2));
      if (to < from) {
        throw new IllegalArgumentException(part + ": ends below its start");
      }
      for (long size = from; size <= to; size *= 2) {
        sizes.add((int) size);
      }
    }
    return sizes;
  }

  private static int parseRead(String text) {
    long bytes = parse(text);
    if (bytes % UNIT != 0 || bytes > 1 << 30) {
      throw new IllegalArgumentException(text + ": must be a multiple of 4k, of 1g at most");
    }
    return (int) bytes;
  }

  /** Such as {@code 4 KiB}; in the largest unit that it is a whole number of. */
  public static String label(long bytes) {
    long number = bytes;
    int unit = 0;
    while (number >= KIBI && number % KIBI == 0 && unit < UNITS.length - 1) {
      number /= KIBI;
      unit++;
    }
    return String.format(Locale.ROOT, "%d %s", number, UNITS[unit]);
  }
}
