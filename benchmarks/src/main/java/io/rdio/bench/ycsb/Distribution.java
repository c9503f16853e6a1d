// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.ycsb;

import java.util.List;

/** How the reads are spread over the data. */
enum Distribution {
  ZIPF(0.99),
  UNIFORM(0);

  /** YCSB's constant, or 0. */
  final double exponent;

  Distribution(double exponent) {
    this.exponent = exponent;
  }

  /** {@code zipf}, {@code uniform} or {@code both}. */
  static List<Distribution> parse(String text) {
    return switch (text) {
      case "zipf" -> List.of(ZIPF);
      case "uniform" -> List.of(UNIFORM);
      case "both" -> List.of(ZIPF, UNIFORM);
      default ->
          throw new IllegalArgumentException(
              "--distribution " + text + ": take zipf, uniform or both");
    };
  }

  @Override
  public String toString() {
    return this == ZIPF ? "Zipf (0.99, scrambled)" : "uniform";
  }
}
