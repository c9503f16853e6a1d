// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.FallbackReason;
import io.rdio.hdfs.agent.JvmAgent;
import io.rdio.hdfs.client.direct.RdioClientContext;
import io.rdio.hdfs.cluster.Cluster;
import java.io.IOException;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.jspecify.annotations.Nullable;

/**
 * A client of a cluster in one of the two modes, with some keys of its own, and with an agent of
 * its own where it reads by one; returns its leases, and has the agent's returned, when it is
 * closed.
 */
public final class RdioClient implements AutoCloseable {
  private final ReadMode mode;
  private final FileSystem fs;
  private final @Nullable JvmAgent agent;

  private RdioClient(ReadMode mode, FileSystem fs, @Nullable JvmAgent agent) {
    this.mode = mode;
    this.fs = fs;
    this.agent = agent;
  }

  /**
   * A new client that opens devices itself.
   *
   * @param keys and values in turn
   */
  public static RdioClient of(Cluster cluster, String... keys) throws IOException {
    return of(cluster, ReadMode.DIRECT, keys);
  }

  /**
   * A new client.
   *
   * @param keys and values in turn
   */
  public static RdioClient of(Cluster cluster, ReadMode mode, String... keys) throws IOException {
    Configuration conf = cluster.clientConf(true);
    for (int i = 0; i < keys.length; i += 2) {
      conf.set(keys[i], keys[i + 1]);
    }
    JvmAgent agent = mode == ReadMode.BY_AGENT ? JvmAgent.start(conf) : null;
    return new RdioClient(mode, FileSystem.newInstance(conf), agent);
  }

  public FileSystem fs() {
    return fs;
  }

  /** Which way a file's bytes came. */
  public record Reading(long rdioBytes, Map<FallbackReason, Long> fallbacks) {}

  /** Reads and checks a whole file. */
  public Reading read(SeededFile file) throws IOException {
    Counts counts = Counts.of(mode);
    long before = counts.rdioBytes();
    try (FSDataInputStream in = fs.open(file.path())) {
      byte[] got = in.readAllBytes();
      assertThat(got).hasSameSizeAs(file.bytes());
      file.check(0, got);
    }
    return new Reading(counts.rdioBytes() - before, counts.fallbacks());
  }

  /** Reads and checks a whole file, all of it by RDIO. */
  public void readByRdio(SeededFile file) throws IOException {
    assertThat(read(file)).isEqualTo(new Reading(file.bytes().length, Map.of()));
  }

  /** Reads and checks a whole file, none of it by RDIO; the reasons, with their counts. */
  public Map<FallbackReason, Long> readByStock(SeededFile file) throws IOException {
    Reading reading = read(file);
    assertThat(reading.rdioBytes()).as("bytes by RDIO; " + reading.fallbacks()).isZero();
    return reading.fallbacks();
  }

  @Override
  public void close() throws IOException {
    fs.close();
    RdioClientContext.get(fs.getConf()).close();
    if (agent != null) {
      agent.close();
    }
  }
}
