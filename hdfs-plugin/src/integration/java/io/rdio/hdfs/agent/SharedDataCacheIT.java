// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.agent;

import static io.rdio.hdfs.cluster.Shape.PLAIN_EXT4;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rdio.hdfs.RdioConfigKeys;
import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.cluster.SharedClusters;
import io.rdio.hdfs.cluster.Shares;
import io.rdio.hdfs.it.ReadOnce;
import io.rdio.hdfs.it.SeededFile;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Processes that share what the agent of their host has cached. */
@Tag("loop")
@Shares(PLAIN_EXT4)
class SharedDataCacheIT {
  private static final int LENGTH = (5 << 20) + 77_777;
  private static final String PIECE = "10000";

  private static Cluster cluster;
  private static FileSystem stock;
  private static AgentProcess agent;

  @BeforeAll
  static void start(SharedClusters clusters) throws IOException {
    cluster = clusters.of(PLAIN_EXT4);
    stock = cluster.fileSystem(false);
    agent =
        AgentProcess.start(
            cluster, List.of(), Map.of(RdioConfigKeys.CLIENT_DATA_CACHE.name(), "32m"));
  }

  @AfterAll
  static void close() throws IOException, InterruptedException {
    if (agent != null) {
      agent.end(); // which returns its leases, for which all tests would have to wait
      agent.close();
    }
    if (stock != null) {
      stock.close();
    }
  }

  /** A process of its own, which has no other way than the agent. */
  private static void read(SeededFile file, byte[] bytes, String... more) throws Exception {
    ReadOnce.Result result = readRight(file, bytes, more);
    assertThat(result.fallbacks()).isEmpty();
    assertThat(result.agentBytes()).isEqualTo(bytes.length);
  }

  /** The same where stock HDFS may read, too. */
  private static ReadOnce.Result readRight(SeededFile file, byte[] bytes, String... more)
      throws Exception {
    ReadOnce.Result result =
        ReadOnce.run(
            cluster,
            agent.clientConf(RdioConfigKeys.CLIENT_AGENT.name(), "required"),
            List.of(),
            List.of(),
            file.path(),
            more);
    assertThat(result.crc()).isEqualTo(ReadOnce.crcOf(bytes));
    return result;
  }

  @Test
  void secondProcessReadsWhatTheFirstOneHadCached() throws Exception {
    SeededFile file = SeededFile.write(stock, "/shared", LENGTH, 1);
    read(file, file.bytes(), PIECE);
    assertThat(agent.figure("data_cache_bytes")).isGreaterThanOrEqualTo(LENGTH);
    long hits = agent.figure("data_cache_hit_bytes_total");
    long device = agent.figure("device_bytes_total");

    read(file, file.bytes(), PIECE);
    read(file, file.bytes());

    assertThat(agent.figure("data_cache_hit_bytes_total") - hits)
        .isGreaterThanOrEqualTo(2L * LENGTH);
    assertThat(agent.figure("device_bytes_total") - device)
        .as("CRCs at most, if a lease had run out")
        .isLessThan(LENGTH / 10);
    assertThat(agent.figure("mismatches_total")).isZero();
  }

  @Test
  void appendDropsWhatIsCachedForAll() throws Exception {
    SeededFile file = SeededFile.write(stock, "/growing", LENGTH, 2);
    read(file, file.bytes(), PIECE);
    long cached = agent.figure("data_cache_bytes");
    byte[] more = SeededFile.random(LENGTH, 3);
    try (FSDataOutputStream out = stock.append(file.path())) {
      out.write(more);
    }
    await().atMost(Duration.ofSeconds(30)).until(() -> agent.figure("data_cache_bytes") < cached);
    byte[] all = new byte[2 * LENGTH];
    System.arraycopy(file.bytes(), 0, all, 0, LENGTH);
    System.arraycopy(more, 0, all, LENGTH, LENGTH);
    // Nothing is granted of the block while its recall is pending: stock HDFS reads it then.
    await()
        .atMost(Duration.ofMinutes(2))
        .until(() -> readRight(file, all, PIECE).fallbacks().isEmpty());
    read(file, all, PIECE);
    assertThat(agent.figure("mismatches_total")).isZero();
  }
}
