// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rdio.core.testing.Requirements;
import io.rdio.core.testing.Resources;
import io.rdio.hdfs.RdioConfigKeys;
import io.rdio.hdfs.agent.AgentProcess;
import io.rdio.hdfs.client.RdioFileSystem;
import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.cluster.TestClusters;
import io.rdio.hdfs.fault.SteppedClient.Kind;
import io.rdio.hdfs.fault.SteppedRun.Kill;
import io.rdio.hdfs.it.Maps;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Agent and client, each killed (SIGKILL) while either of the two is at any of its steps: the
 * agent's messages to DataNodes and calls of devices, the client's messages to the NameNode and
 * pieces of a file. Which steps there are a run tells in which nobody is killed. Afterwards files
 * are what was promised, {@code fsck} is clean, all slots come back, and no other file has changed.
 *
 * <p>A few steps by chance, with {@code -Drdio.test.all=true} all of them; {@code
 * -Drdio.steps.seed=N} repeats a run's choices.
 */
@Tag("loop")
final class AgentStepsIT {
  private static final boolean ALL = Boolean.getBoolean("rdio.test.all");
  private static final long SEED = Long.getLong("rdio.steps.seed", System.nanoTime());
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final Duration LEASE = Duration.ofSeconds(10);
  private static final Duration IO_TIME = Duration.ofSeconds(2);
  private static final int DATA_NODES = 3;
  private static final long VOLUME = 320L << 20;

  /** Of a volume, for what the clients write; other files have the rest. */
  private static final long LEFT = 230L << 20;

  /** More than a run takes of a volume. */
  private static final int SLOTS = 16;

  /** After so many runs their files are looked at. */
  private static final int BATCH = 16;

  /** A busy machine may not write all by the agent at first. */
  private static final int TRIES = 5;

  private static final List<String> PROCESSES =
      List.of(SteppedAgent.PROCESS, SteppedClient.PROCESS);

  private static Cluster cluster;
  private static DistributedFileSystem stock;
  private static ForeignFiles foreign;
  private static AgentProcess agent;
  private static SteppedRun.Parts parts;
  private static int runs;

  private final Random random = new Random(SEED);

  @BeforeAll
  static void start() throws IOException {
    Requirements.requireLoop("ext4");
    cluster =
        TestClusters.builder()
            .dataNodes(DATA_NODES)
            .volumeBytes(VOLUME)
            .set("dfs.blocksize", Integer.toString(SteppedClient.BLOCK))
            .set("dfs.block.access.token.enable", "true")
            .set(RdioConfigKeys.CLIENT_RPC_TIMEOUT.name(), "20s")
            .set(RdioConfigKeys.DATANODE_WRITE.name(), "on")
            .set(RdioConfigKeys.DATANODE_WRITE_POOL_SIZE.name(), "60m")
            .set(RdioConfigKeys.DATANODE_WRITE_LEASE_DURATION.name(), LEASE.toSeconds() + "s")
            .set(RdioConfigKeys.DATANODE_WRITE_IO_TIME_MAX.name(), IO_TIME.toSeconds() + "s")
            .set("dfs.datanode.rdio.recall.check.interval", "200ms")
            .start();
    stock = (DistributedFileSystem) cluster.fileSystem(false);
    foreign = new ForeignFiles(stock, cluster.volume(0).mountPoint(), LEFT);
    Steps steps = Steps.of(cluster);
    agent =
        AgentProcess.startBy(
            SteppedAgent.class.getName(),
            cluster,
            Map.of(RdioConfigKeys.CLIENT_AGENT_WRITE.name(), "on"));
    parts = new SteppedRun.Parts(cluster, steps, agent, clientConf());
  }

  private static Path clientConf() throws IOException {
    List<String> keys =
        new ArrayList<>(
            List.of(
                "fs.hdfs.impl",
                RdioFileSystem.class.getName(),
                RdioConfigKeys.CLIENT_WRITE.name(),
                "auto",
                RdioConfigKeys.CLIENT_WRITE_SMALL.name(),
                "64k",
                RdioConfigKeys.CLIENT_AGENT.name(),
                "required"));
    SteppedSockets.KEYS.forEach(
        (key, value) -> {
          keys.add(key);
          keys.add(value);
        });
    return agent.clientConf(keys.toArray(String[]::new));
  }

  @AfterAll
  static void close() throws Exception {
    Resources.close(agent, stock, cluster);
  }

  /** Replicas, kinds of files, and how often somebody is killed, if it is not at all steps. */
  static List<Arguments> shapes() {
    return List.of(
        Arguments.of(1, EnumSet.allOf(Kind.class), 4), Arguments.of(3, EnumSet.of(Kind.CLOSED), 2));
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void killedAtAnyStep(int replication, Set<Kind> kinds, int sample) throws Exception {
    try {
      List<Kill> kills = kills(undisturbed(replication, kinds), sample);
      int late = 0;
      for (int from = 0; from < kills.size(); from += BATCH) {
        List<Kill> batch = kills.subList(from, Math.min(from + BATCH, kills.size()));
        late += endAtEach(batch, replication, kinds);
      }
      assertThat(late).as("runs that were over before the step").isLessThan(1 + kills.size() / 2);
      assertNothingIsLeft();
    } catch (Exception | AssertionError e) {
      throw new AssertionError("with -Drdio.steps.seed=" + SEED, e);
    }
  }

  private static SteppedRun run(int replication, Set<Kind> kinds) throws IOException {
    for (int i = 0; i < DATA_NODES; i++) {
      Path pool = slots(i).resolve("pool");
      await("slots of DataNode " + i)
          .atMost(PATIENCE)
          .until(() -> Maps.files(pool).size() >= SLOTS);
    }
    return new SteppedRun(parts, "/stepped-" + runs++, replication, kinds);
  }

  private static Path slots(int dataNode) {
    return cluster.volume(dataNode).mountPoint().resolve("data/rdio/slots");
  }

  /** A run in which nobody is killed, and all is written by the agent that can be. */
  private static SteppedRun undisturbed(int replication, Set<Kind> kinds) throws Exception {
    long bytes = kinds.stream().mapToLong(AgentStepsIT::bytesByAgent).sum();
    for (int i = 0; i < TRIES; i++) {
      SteppedRun run = run(replication, kinds);
      run.toEnd();
      new SteppedFiles(cluster, stock).checkAndDelete(List.of(run));
      if (run.bytesByAgent() == bytes) {
        assertThat(run.promised()).hasSize(kinds.contains(Kind.FLUSHED) ? 2 : 1);
        return run;
      }
    }
    throw new AssertionError("not all is written by the agent: see target/stepped.err");
  }

  private static long bytesByAgent(Kind kind) {
    return kind == Kind.GIVEN_UP ? SteppedClient.BLOCK : kind.length;
  }

  private List<Kill> kills(SteppedRun undisturbed, int sample) throws IOException {
    List<Kill> all = new ArrayList<>();
    for (String held : PROCESSES) {
      int steps = undisturbed.steps(held);
      assertThat(steps).as("steps of the " + held).isGreaterThan(sample);
      for (String victim : PROCESSES) {
        IntStream.range(0, steps).forEach(step -> all.add(new Kill(held, step, victim)));
      }
    }
    Collections.shuffle(all, random);
    return ALL ? all : all.subList(0, sample);
  }

  /** How many runs were over before anybody was killed. */
  private static int endAtEach(List<Kill> kills, int replication, Set<Kind> kinds)
      throws Exception {
    List<SteppedRun> ended = new ArrayList<>();
    int late = 0;
    for (Kill kill : kills) {
      SteppedRun run = run(replication, kinds);
      String at = run.with(kill);
      System.out.println(run.folder() + ", replication " + replication + ", " + kill + ": " + at);
      ended.add(run);
      late += at == null ? 1 : 0;
    }
    new SteppedFiles(cluster, stock).checkAndDelete(ended);
    return late;
  }

  private static void assertNothingIsLeft() throws IOException {
    for (int i = 0; i < DATA_NODES; i++) {
      Path slots = slots(i);
      await("slots of DataNode " + i)
          .atMost(LEASE.plus(IO_TIME).plus(IO_TIME).plus(PATIENCE))
          .untilAsserted(
              () -> {
                assertThat(Maps.files(slots.resolve("leased"))).isEmpty();
                assertThat(Maps.files(slots.resolveSibling("pins"))).isEmpty();
              });
    }
    cluster.dropPageCaches();
    foreign.check();
  }
}
