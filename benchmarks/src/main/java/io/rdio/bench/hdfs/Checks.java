// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.hdfs;

/** What numbers of options must be. */
public final class Checks {
  private Checks() {}

  /**
   * Refuses less than 1.
   *
   * @throws IllegalArgumentException naming option and value
   */
  public static void requireOneOrMore(String option, int value) {
    if (value < 1) {
      throw new IllegalArgumentException(option + " " + value + ": must be 1 or more");
    }
  }

  /**
   * Refuses what is not above 0.
   *
   * @throws IllegalArgumentException naming option and value
   */
  public static void requirePositive(String option, double value) {
    if (!(value > 0)) {
      throw new IllegalArgumentException(option + " " + value + ": must be greater than 0");
    }
  }
}
