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
import java.util.concurrent.atomic.AtomicReference;
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
@Tag("alone")
@Shares(SHORT_EXT4) // leases of agents that were killed are over soon
class AgentUnderLoadIT {
  private static final int BLOCK = 1 << 20;
  private static final long SEED = 5;
  private static final int TIMES = 2;

  /** Passes of a thread that end within a time, of which one then began within it, too. */
  private static final int WHOLE_PASSES = 2;

  private static final Duration PATIENCE = Duration.ofMinutes(1);

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

  /**
   * Until every thread has read the whole file by the agent alone: then none of them has anything
   * left to do by stock HDFS, and what stock HDFS reads from now on has another reason.
   *
   * @return the bytes that stock HDFS read until now, as the accessor counts them: of blocks that
   *     the agent had begun
   */
  private long awaitByAgentOnly() {
    AtomicReference<Map<String, Long>> since = new AtomicReference<>(Map.of());
    await("the agent alone serves all threads")
        .atMost(PATIENCE)
        .until(
            () -> {
              Map<String, Long> now = reader.counts();
              Map<String, Long> before = since.get();
              if (!now.get("stockBytes").equals(before.get("stockBytes"))) {
                since.set(now);
                return false;
              }
              return now.get("passes") - before.get("passes") >= WHOLE_PASSES
                  && now.get("agentBytes") > before.get("agentBytes");
            });
    return since.get().get("stockBytes");
  }

  private void awaitTakenOver(long stockBytesBefore) {
    await("stock HDFS goes on where the agent left off")
        .atMost(PATIENCE)
        .until(() -> reader.counts().get("stockBytes") > stockBytesBefore);
  }

  @Test
  void agentsThatAreKilledHangAndAreReplaced() throws Exception {
    for (int i = 0; i < TIMES; i++) {
      long before = awaitByAgentOnly();
      agent.kill();
      awaitTakenOver(before);
      agent.restart();
    }
    for (int i = 0; i < TIMES; i++) {
      long before = awaitByAgentOnly();
      agent.pause();
      awaitTakenOver(before); // beyond the deadline, therefore
      agent.resume();
    }
    for (int i = 0; i < TIMES; i++) {
      awaitByAgentOnly();
      assertThat(agent.end()).isIn(0, 143);
      agent.restart();
    }
    awaitByAgentOnly();
    Map<String, Long> counts = reader.counts();
    assertThat(counts).containsEntry("wrong", 0L).containsEntry("failed", 0L);
    assertThat(counts.get("reads")).isPositive();
  }
}
