// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.twolevel;

import org.jspecify.annotations.Nullable;

/** Sizes of the storage cache, as shares of what of the data set does not fit into level 1. */
final class Fractions {
  private Fractions() {}

  /**
   * Returns a share.
   *
   * @param size such as 25%
   * @throws IllegalArgumentException if it is not a percentage above 0% up to 100%
   */
  static double parse(String size) {
    String text = size.strip();
    try {
      double percent = Double.parseDouble(text.substring(0, Math.max(0, text.length() - 1)));
      if (text.endsWith("%") && percent > 0 && percent <= 100) {
        return percent / 100;
      }
    } catch (NumberFormatException e) {
      throw wrong(size, e);
    }
    throw wrong(size, null);
  }

  private static IllegalArgumentException wrong(String size, @Nullable Throwable cause) {
    return new IllegalArgumentException(
        "the storage cache's size \"" + size + "\" is not a percentage above 0% up to 100%", cause);
  }
}
