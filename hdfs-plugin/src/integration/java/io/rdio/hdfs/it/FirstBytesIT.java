// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.it;

import static io.rdio.hdfs.cluster.Shape.PLAIN_EXT4;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.FallbackReason;
import io.rdio.hdfs.RdioConfigKeys;
import io.rdio.hdfs.agent.JvmAgent;
import io.rdio.hdfs.client.direct.RdioClientContext;
import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.cluster.SharedClusters;
import io.rdio.hdfs.cluster.Shares;
import java.io.IOException;
import java.time.Duration;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Files never opened before, with the first bytes as they come: from whoever has them first. */
@Tag("loop")
@Shares(PLAIN_EXT4)
class FirstBytesIT {
  private static final int FIRST = 256 << 10;
  private static final int BLOCK = 4 << 20;
  private static final int FILES = 20;
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private static Cluster cluster;
  private static FileSystem stock;

  @BeforeAll
  static void start(SharedClusters clusters) throws IOException {
    cluster = clusters.of(PLAIN_EXT4);
    stock = FileSystem.newInstance(conf(false));
  }

  private static Configuration conf(boolean byRdio) {
    Configuration conf = cluster.clientConf(byRdio);
    conf.setInt("dfs.blocksize", BLOCK);
    conf.setInt(RdioConfigKeys.CLIENT_FIRST_BYTES.name(), FIRST);
    return conf;
  }

  @AfterAll
  static void stop() throws IOException {
    if (stock != null) {
      stock.close();
    }
  }

  /** With locations asked of the NameNode, and with those that the stream's own call brought. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "org.apache.hadoop.hdfs.server.namenode.ha.IPFailoverProxyProvider",
        "io.rdio.hdfs.client.RecordingIPFailoverProxyProvider"
      })
  void areStockOnesAtMostAndTheRestIsByRdio(String provider) throws Exception {
    Configuration conf = conf(true);
    String host = FileSystem.getDefaultUri(conf).getHost();
    conf.set("dfs.client.failover.proxy.provider." + host, provider);
    try (FileSystem rdio = FileSystem.newInstance(conf)) {
      for (int i = 0; i < FILES; i++) {
        String name = "/large/" + provider + i;
        SeededFile file = SeededFile.write(stock, name, BLOCK + 1000 + i, i);
        Counts counts = Counts.now();
        long byRdio = counts.rdioBytes();
        long byStock = RdioClientContext.counters().stockBytes.sum();
        try (FSDataInputStream in = rdio.open(file.path())) {
          file.check(0, in.readAllBytes());
        }
        byRdio = counts.rdioBytes() - byRdio;
        byStock = RdioClientContext.counters().stockBytes.sum() - byStock;
        assertThat(byRdio + byStock).isEqualTo(file.bytes().length);
        assertThat(byStock).isLessThanOrEqualTo(FIRST);
        assertThat(counts.fallbacks())
            .as("the only reason: " + counts.fallbacks())
            .hasSize(byStock > 0 ? 1 : 0);
        Counts.awaitReadByRdio(rdio, file, PATIENCE);
      }
    } finally {
      RdioClientContext.get(conf).close();
    }
    assertThat(RdioClientContext.counters().fallbacks(FallbackReason.FIRST_READ)).isPositive();
  }

  @Test
  void anAgentLeavesASmallFileToHadoopItselfUntilItIsReadAgainAndItsMapIsHere() throws Exception {
    SeededFile file = SeededFile.write(stock, "/small-by-agent", 1000, 2);
    Configuration conf = conf(true);
    JvmAgent agent = JvmAgent.start(conf);
    try (FileSystem rdio = FileSystem.newInstance(conf)) {
      Counts counts = Counts.now();
      Counts.awaitRead(ReadMode.BY_AGENT, rdio, file, PATIENCE);
      assertThat(counts.fallbacks(FallbackReason.FIRST_READ)).isEqualTo(1);
    } finally {
      agent.close();
    }
  }

  @Test
  void aSmallFileIsReadByHadoopItselfUntilItIsReadAgainAndItsMapIsHere() throws Exception {
    SeededFile file = SeededFile.write(stock, "/small", 1000, 1);
    Configuration conf = conf(true);
    try (FileSystem rdio = FileSystem.newInstance(conf)) {
      Counts counts = Counts.now();
      long byStock = RdioClientContext.counters().stockBytes.sum();
      Counts.awaitReadByRdio(rdio, file, PATIENCE);
      assertThat(counts.fallbacks(FallbackReason.FIRST_READ)).isEqualTo(1);
      assertThat(RdioClientContext.counters().stockBytes.sum()).isEqualTo(byStock);
    } finally {
      RdioClientContext.get(conf).close();
    }
  }
}
