// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client;

import io.rdio.hdfs.client.way.BlockWay;
import org.apache.hadoop.fs.FileSystem;
import org.jspecify.annotations.Nullable;

/**
 * Bytes by RDIO as those of a file system of the name {@code rdio}: MapReduce adds up what the file
 * systems of all tasks have read, each a group of the job's counters. They are counted for HDFS as
 * ever, so whoever adds up all file systems, as Spark does, counts them twice. Thread-safe.
 */
final class JobCounter {
  private static volatile FileSystem.@Nullable Statistics statistics;

  private JobCounter() {}

  /** What Hadoop knows statistics by; there is no such file system. */
  private abstract static class Rdio extends FileSystem {}

  /** Counts from now on; idempotent. */
  @SuppressWarnings("deprecation") // what MapReduce asks knows these only
  static void begin() {
    if (statistics == null) {
      statistics = FileSystem.getStatistics("rdio", Rdio.class);
    }
  }

  /** Counts bytes of one read by RDIO, on the thread that read them, if that was begun. */
  static void add(BlockWay way, int bytes) {
    if (statistics != null && way.isByDevice()) {
      add(bytes);
    }
  }

  /** The same for bytes that are by RDIO. */
  static void add(int bytes) {
    FileSystem.Statistics counted = statistics;
    if (counted != null) {
      counted.incrementBytesRead(bytes);
      counted.incrementReadOps(1);
    }
  }
}
