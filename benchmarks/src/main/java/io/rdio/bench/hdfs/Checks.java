// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.hdfs;

import io.rdio.hdfs.cluster.LoopVolume.Backing;
import java.io.IOException;

/** What numbers of options must be, and what there must be for them. */
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

  /**
   * Refuses what the free memory does not hold.
   *
   * @param files bytes of files in memory
   * @param jvms bytes of a benchmark's own JVMs
   */
  static void requireMemory(long files, long jvms) throws IOException {
    if (files + jvms > 0 && Backing.preferredFor(files + jvms) != Backing.TMPFS) {
      throw new IOException(
          String.format(
              "the free memory does not hold files of %d bytes, %d bytes of this benchmark's own JVMs"
                  + " and those that every benchmark has; fix: %s%s",
              files,
              jvms,
              jvms > 0 ? "fewer client processes" : "smaller files",
              files > 0 ? ", or --backing disk" : ""));
    }
  }
}
