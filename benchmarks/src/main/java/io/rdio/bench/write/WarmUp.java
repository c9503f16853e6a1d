// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.write;

import io.rdio.bench.hdfs.Checks;

/**
 * What is stored before the rounds. The work of a DataNode goes by blocks, and a JVM compiles what
 * it has done often: seconds do not say how often that was. Immutable.
 *
 * @param blocks that each DataNode is to store by RDIO, by all ways of it together, and as many as
 *     it did by stock HDFS; 0 for none
 * @param secondsMax behind which a way goes on no more, whatever it has stored
 */
record WarmUp(int blocks, double secondsMax) {
  /**
   * Checks the options.
   *
   * @throws IllegalArgumentException naming option and value
   */
  WarmUp {
    if (blocks < 0) {
      throw new IllegalArgumentException("--warm-up " + blocks + ": must be 0 or more");
    }
    Checks.requirePositive("--warm-up-max", secondsMax);
  }

  /** Blocks that there are to be when so many of all ways by RDIO are done. */
  long due(int done, int ways) {
    return ((long) blocks * done + ways - 1) / ways;
  }
}
