// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.simulator;

import org.jspecify.annotations.Nullable;

/** Reads cache sizes. */
final class CacheSize {
  private CacheSize() {}

  /**
   * Returns a size in objects.
   *
   * @param text a number of objects, or a percentage of {@code objects} such as {@code 0.1%}, which
   *     is rounded down but not below 1
   */
  static int parse(String text, int objects) {
    String size = text.strip();
    try {
      if (size.endsWith("%")) {
        double percent = Double.parseDouble(size.substring(0, size.length() - 1));
        if (percent > 0 && percent <= 100) {
          return Math.max(1, (int) (objects * percent / 100));
        }
      } else if (Integer.parseInt(size) > 0) {
        return Integer.parseInt(size);
      }
    } catch (NumberFormatException e) {
      throw wrong(size, e);
    }
    throw wrong(size, null);
  }

  private static IllegalArgumentException wrong(String size, @Nullable Throwable cause) {
    return new IllegalArgumentException(
        "the cache size \""
            + size
            + "\" is neither a number of objects from 1 up nor a percentage"
            + " above 0% up to 100%",
        cause);
  }
}
