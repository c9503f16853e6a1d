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
import java.util.function.BiPredicate;
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
  private static final long WHOLE_PASSES = 2;

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
   * Until every thread has read the whole file by the agent alone: then most of them are in the
   * middle of a block that the agent has begun.
   */
  private void awaitByAgentOnly() {
    awaitPasses(
        "the agent alone serves all threads",
        (since, now) ->
            now.get("stockBytes").equals(since.get("stockBytes"))
                && now.get("agentBytes") > since.get("agentBytes"));
  }

  /** Until every thread has read the whole file while the agent gave none of them a byte. */
  private void awaitWithoutAgent() {
    awaitPasses(
        "stock HDFS goes on where the agent left off",
        (since, now) -> now.get("agentBytes").equals(since.get("agentBytes")));
  }

  /**
   * Until every thread has made whole passes.
   *
   * @param holds whether the counts of then and now are those of one way to read; the passes are
   *     counted from when it holds, and anew when it does not
   */
  private void awaitPasses(String what, BiPredicate<Map<String, Long>, Map<String, Long>> holds) {
    AtomicReference<Map<String, Long>> since = new AtomicReference<>();
    await(what)
        .atMost(PATIENCE)
        .untilAsserted(
            () -> {
              Map<String, Long> now = reader.counts();
              if (since.get() == null || !holds.test(since.get(), now)) {
                since.set(now);
              }
              assertThat(now.get("passes") - since.get().get("passes"))
                  .as("passes between %s and %s", since, now)
                  .isGreaterThanOrEqualTo(WHOLE_PASSES);
            });
  }

  @Test
  void agentsThatAreKilledHangAndAreReplaced() throws Exception {
    long takenOver = 0;
    for (int i = 0; i < TIMES; i++) {
      awaitByAgentOnly();
      long before = reader.counts().get("stockBytes");
      agent.kill();
      awaitWithoutAgent();
      takenOver += reader.counts().get("stockBytes") - before;
      agent.restart();
    }
    for (int i = 0; i < TIMES; i++) {
      awaitByAgentOnly();
      long before = reader.counts().get("stockBytes");
      agent.pause();
      awaitWithoutAgent(); // beyond the deadline, therefore
      takenOver += reader.counts().get("stockBytes") - before;
      agent.resume();
    }
    // one of them may find all threads at a block's start, whose bytes are not counted; not all
    assertThat(takenOver).as("bytes of blocks that an agent had begun").isPositive();
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
