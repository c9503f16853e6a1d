// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.FallbackReason;
import io.rdio.hdfs.client.direct.RdioClientContext;
import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.it.Counts;
import io.rdio.hdfs.it.SeededFile;
import java.io.IOException;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;

/** A client of a cluster with some keys of its own; gives its leases back when it is closed. */
final class RdioClient implements AutoCloseable {
  private final FileSystem fs;

  private RdioClient(FileSystem fs) {
    this.fs = fs;
  }

  /**
   * A new client.
   *
   * @param keys and values in turn
   */
  static RdioClient of(Cluster cluster, String... keys) throws IOException {
    Configuration conf = cluster.clientConf(true);
    for (int i = 0; i < keys.length; i += 2) {
      conf.set(keys[i], keys[i + 1]);
    }
    return new RdioClient(FileSystem.newInstance(conf));
  }

  FileSystem fs() {
    return fs;
  }

  /** Which way a file's bytes came. */
  record Reading(long rdioBytes, Map<FallbackReason, Long> fallbacks) {}

  /** Reads and checks a whole file. */
  Reading read(SeededFile file) throws IOException {
    Counts counts = Counts.now();
    long before = counts.rdioBytes();
    try (FSDataInputStream in = fs.open(file.path())) {
      byte[] got = in.readAllBytes();
      assertThat(got).hasSameSizeAs(file.bytes());
      file.check(0, got);
    }
    return new Reading(counts.rdioBytes() - before, counts.fallbacks());
  }

  /** Reads and checks a whole file, all of it by RDIO. */
  void readByRdio(SeededFile file) throws IOException {
    assertThat(read(file)).isEqualTo(new Reading(file.bytes().length, Map.of()));
  }

  /** Reads and checks a whole file, none of it by RDIO; the reasons, with their counts. */
  Map<FallbackReason, Long> readByStock(SeededFile file) throws IOException {
    Reading reading = read(file);
    assertThat(reading.rdioBytes()).as("bytes by RDIO; " + reading.fallbacks()).isZero();
    return reading.fallbacks();
  }

  @Override
  public void close() throws IOException {
    fs.close();
    RdioClientContext.get(fs.getConf()).close();
  }
}
