// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.write;

import io.rdio.agent.ipc.GroupStripes;
import io.rdio.hdfs.ConfigKey;
import io.rdio.hdfs.RdioConfigKeys;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.client.HdfsClientConfigKeys;

/** What a client's configuration says of its new files. Immutable. */
final class WriteConfig {
  // Hadoop's, whose class of it is in its server only.
  private static final String REPLICATION_MIN = "dfs.namenode.replication.min";

  private final List<String> paths;
  private final int small;
  private final Duration backOff;
  private final int retries;
  private final int replicationMin;
  private final String parity;
  private final List<String> awaitingParity;

  private WriteConfig(
      List<String> paths,
      int small,
      Duration backOff,
      int retries,
      int replicationMin,
      String parity,
      List<String> awaitingParity) {
    this.paths = paths;
    this.small = small;
    this.backOff = backOff;
    this.retries = retries;
    this.replicationMin = replicationMin;
    this.parity = parity;
    this.awaitingParity = awaitingParity;
  }

  /**
   * Reads it.
   *
   * @throws IllegalArgumentException with the key and its value
   */
  static WriteConfig of(Configuration conf) {
    return new WriteConfig(
        folders(RdioConfigKeys.CLIENT_WRITE_PATHS, conf),
        RdioConfigKeys.CLIENT_WRITE_SMALL.get(conf),
        RdioConfigKeys.CLIENT_DATANODE_BACKOFF.get(conf),
        conf.getInt(
            HdfsClientConfigKeys.BlockWrite.RETRIES_KEY,
            HdfsClientConfigKeys.BlockWrite.RETRIES_DEFAULT),
        conf.getInt(REPLICATION_MIN, 1),
        RdioConfigKeys.CLIENT_WRITE_PARITY.get(conf),
        folders(RdioConfigKeys.CLIENT_WRITE_PARITY_WAIT, conf));
  }

  private static List<String> folders(ConfigKey<List<String>> key, Configuration conf) {
    List<String> paths = new ArrayList<>();
    for (String path : key.get(conf)) {
      if (!path.startsWith("/")) {
        throw key.wrong(path, "paths that begin with a slash, with commas between", null);
      }
      paths.add(path.endsWith("/") ? path : path + "/");
    }
    return paths;
  }

  /** That of a client whose own is wrong: all files are named, so that each is told of. */
  static WriteConfig ofAll() {
    return new WriteConfig(
        Collections.singletonList("/"), 0, Duration.ZERO, 0, 1, "off", Collections.emptyList());
  }

  /** Whether files of this path are for RDIO. */
  boolean names(String path) {
    return isBelow(path, paths);
  }

  private static boolean isBelow(String path, List<String> folders) {
    for (String folder : folders) {
      if (path.startsWith(folder)) {
        return true;
      }
    }
    return false;
  }

  /** Bytes from which on a file is not small. */
  int small() {
    return small;
  }

  /** How long nobody tries again who was refused for more than a moment. */
  Duration backOff() {
    return backOff;
  }

  /** How often another block is asked for, after one of whose targets could not be written to. */
  int retries() {
    return retries;
  }

  /** Replicas without which the NameNode takes no block for written. */
  int replicationMin() {
    return replicationMin;
  }

  /** Whether erasure-coded files are for RDIO. */
  boolean hasParity() {
    return !parity.equals("off");
  }

  /** When parity of a file of this path is made, if it is for RDIO. */
  GroupStripes.Parity parity(String path) {
    if (!parity.equals("deferred")) {
      return GroupStripes.Parity.IMMEDIATE;
    }
    return isBelow(path, awaitingParity)
        ? GroupStripes.Parity.AWAITED
        : GroupStripes.Parity.DEFERRED;
  }
}
