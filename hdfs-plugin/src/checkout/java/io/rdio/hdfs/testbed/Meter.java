// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.testbed;

import java.io.IOException;
import java.util.Map;

/** Has the client read and says what the links carried for it. */
final class Meter {
  /**
   * One reading.
   *
   * @param perByte {@link Traffic#perByte} of it
   */
  record Reading(ReadOutcome outcome, Map<String, Double> perByte) {
    double total() {
      return perByte.getOrDefault("total", Double.NaN);
    }
  }

  private final Fabric fabric;
  private final FabricHdfs hdfs;
  private boolean sha256Ok = true;

  Meter(Fabric fabric, FabricHdfs hdfs) {
    this.fabric = fabric;
    this.hdfs = hdfs;
  }

  /**
   * Reads files, with the page cache of the DataNode's host dropped first or left as it is.
   *
   * @param sha256 that the bytes should have
   */
  Reading read(boolean byRdio, FileSet files, String sha256, boolean dropPageCache)
      throws IOException {
    if (dropPageCache) {
      fabric.dropPageCache();
    }
    Traffic before = hdfs.traffic();
    ReadOutcome outcome = hdfs.client().read(byRdio, files);
    Traffic traffic = hdfs.traffic().since(before);
    boolean right = outcome.sha256().equals(sha256) && outcome.bytes() == files.bytes();
    sha256Ok &= right;
    return new Reading(outcome, traffic.perByte(files.bytes()));
  }

  /** Whether all bytes of all readings so far were those that were written. */
  boolean sha256Ok() {
    return sha256Ok;
  }
}
