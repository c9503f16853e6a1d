// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.twolevel;

import io.rdio.bench.hdfs.Sizes;
import io.rdio.bench.report.CsvTable;
import java.io.PrintWriter;
import picocli.CommandLine.Option;

/** Options of commands that have readers on a {@link TwoLevelStack}. */
final class StackOptions {
  @Option(
      names = "--fs",
      paramLabel = "ext4|xfs",
      description = "The compute node's file system. Default: ${DEFAULT-VALUE}.")
  private String fileSystem = "ext4";

  @Option(
      names = "--data",
      paramLabel = "SIZE",
      description =
          "The data set; a compute node's page cache, level 1, is a quarter of it. Default:"
              + " ${DEFAULT-VALUE}.")
  private String data;

  @Option(
      names = "--rate",
      paramLabel = "SIZE",
      description =
          "Each compute node reads no more than this a second. Default: ${DEFAULT-VALUE}.")
  private String rate = "64m";

  @Option(names = "--csv", description = "Print comma-separated values instead of a table.")
  private boolean csv;

  /**
   * @param data the data set's size unless told otherwise
   */
  StackOptions(String data) {
    this.data = data;
  }

  /** Of the compute node. */
  String fileSystem() {
    return fileSystem;
  }

  /**
   * Of the data set.
   *
   * @throws IllegalArgumentException naming the option's value, if it is no size
   */
  long bytes() {
    return Sizes.parse(data);
  }

  /**
   * The same in whole blocks.
   *
   * @throws IllegalArgumentException also if there are more than can be counted
   */
  int blocks() {
    long blocks = bytes() / Workload.BLOCK_BYTES;
    if (blocks > Integer.MAX_VALUE) {
      throw new IllegalArgumentException("--data " + data + ": too many blocks");
    }
    return (int) blocks;
  }

  /**
   * What each compute node may read.
   *
   * @throws IllegalArgumentException naming the option's value, if it is no size
   */
  long bytesPerSecond() {
    return Sizes.parse(rate);
  }

  /**
   * For what is found.
   *
   * @param columns a format with a {@code %s} for each value, for a table
   */
  CsvTable table(PrintWriter out, String columns) {
    return CsvTable.of(out, csv, columns);
  }
}
