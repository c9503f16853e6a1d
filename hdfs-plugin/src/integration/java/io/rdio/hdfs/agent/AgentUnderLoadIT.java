// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.agent;

import static io.rdio.hdfs.cluster.Shape.SHORT_EXT4;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.cluster.SharedClusters;
import io.rdio.hdfs.cluster.Shares;
import io.rdio.hdfs.it.SeededFile;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Agents that end, hang and are replaced while a process reads by them without a pause: stock HDFS
 * takes over in the middle of a block, every byte is right, and no read fails.
 */
@Tag("loop")
@Shares(SHORT_EXT4) // leases of agents that were killed are over soon
class AgentUnderLoadIT {
  private static final int BLOCK = 1 << 20;
  private static final long SEED = 5;
  private static final int TIMES = 2;

  /** Bytes that are some reads, and no accident. */
  private static final long SOME = 4L * BLOCK;

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private FileSystem stock;
  private AgentProcess agent;
  private BusyReader reader;

  @BeforeEach
  void start(SharedClusters clusters) throws IOException {
    Cluster cluster = clusters.of(SHORT_EXT4);
    stock = cluster.fileSystem(false);
    SeededFile file = SeededFile.write(stock, "/busy", 6 * BLOCK + 77, SEED);
    agent = AgentProcess.start(cluster);
    reader =
        BusyReader.start(
            cluster,
            agent.clientConf(
                "dfs.client.rdio.agent", "required", "dfs.client.rdio.read.timeout", "1s"),
            file,
            SEED);
  }

  @AfterEach
  void stop() throws IOException {
    if (reader != null) {
      reader.close();
    }
    if (agent != null) {
      agent.close();
    }
    if (stock != null) {
      stock.close();
    }
  }

  private void awaitMore(String name, long bytes) throws IOException {
    long before = reader.counts().get(name);
    await("more " + name).atMost(PATIENCE).until(() -> reader.counts().get(name) - before >= bytes);
  }

  /** As the accessor counts it: of blocks that the agent had begun. */
  private void awaitTakenOver() throws IOException {
    awaitMore("stockBytes", 1);
  }

  private void awaitByAgent() throws IOException {
    awaitMore("agentBytes", SOME);
  }

  @Test
  void agentsThatAreKilledHangAndAreReplaced() throws Exception {
    awaitByAgent();
    for (int i = 0; i < TIMES; i++) {
      long before = reader.counts().get("stockBytes");
      agent.kill();
      await("stock HDFS goes on where a killed agent left off")
          .atMost(PATIENCE)
          .until(() -> reader.counts().get("stockBytes") > before);
      agent.restart();
      awaitByAgent();
    }
    for (int i = 0; i < TIMES; i++) {
      agent.pause();
      awaitTakenOver(); // beyond the deadline, therefore
      agent.resume();
      awaitByAgent();
    }
    for (int i = 0; i < TIMES; i++) {
      assertThat(agent.end()).isIn(0, 143);
      agent.restart();
      awaitByAgent();
    }
    Map<String, Long> counts = reader.counts();
    assertThat(counts).containsEntry("wrong", 0L).containsEntry("failed", 0L);
    assertThat(counts.get("reads")).isPositive();
  }
}
