// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rdio.core.testing.Command;
import io.rdio.core.testing.Requirements;
import io.rdio.hdfs.agent.AgentProcess;
import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.cluster.HadoopDaemon;
import io.rdio.hdfs.cluster.ProcessEnd;
import io.rdio.hdfs.cluster.TestClusters;
import io.rdio.hdfs.fault.SoakClient.Count;
import io.rdio.hdfs.it.FreeSpace;
import io.rdio.hdfs.it.Maps;
import io.rdio.hdfs.it.ReadMode;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.FileSystem;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Two clients and two DataNodes that are busy with everything at once, while DataNodes are killed,
 * clients are paused past their leases and volumes are full; in one of the modes with an agent,
 * which is killed and paused too. {@code -Drdio.soak.seconds=N} sets how long, {@code
 * -Drdio.soak.seed=N} repeats a run's choices. What happened is written to {@code
 * target/soak-FILESYSTEM-MODE.txt}.
 */
@Tag("loop")
@Timeout(value = 1, unit = TimeUnit.DAYS)
class SoakIT {
  private static final long SECONDS = Long.getLong("rdio.soak.seconds", 10);
  private static final long SEED = Long.getLong("rdio.soak.seed", System.nanoTime());
  private static final int CLIENTS = 2;
  private static final int DATA_NODES = 2;
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  /** Longer than lease and longest I/O together. */
  private static final long PAUSE_SECONDS = 6;

  private final Map<String, Integer> faults = new TreeMap<>();

  /** Both file systems and both modes; where there is time, each with each. */
  static List<Arguments> modes() {
    List<Arguments> all =
        new ArrayList<>(
            List.of(Arguments.of("ext4", ReadMode.DIRECT), Arguments.of("xfs", ReadMode.BY_AGENT)));
    if (TestClusters.fileSystems().contains("xfs")) {
      all.add(Arguments.of("xfs", ReadMode.DIRECT));
      all.add(Arguments.of("ext4", ReadMode.BY_AGENT));
    }
    return all;
  }

  @ParameterizedTest
  @MethodSource("modes")
  void everythingAtOnce(String fsType, ReadMode mode) throws Exception {
    Requirements.requireLoop(fsType);
    try (Cluster cluster = start(fsType);
        AgentProcess agent = mode == ReadMode.BY_AGENT ? AgentProcess.start(cluster) : null;
        FileSystem stock = cluster.fileSystem(false)) {
      stock.mkdirs(SoakClient.FOLDER);
      // By the agent as long as there is one, and by the ways behind it.
      Path conf = agent == null ? cluster.confFolder(true) : agent.clientConf();
      String name = fsType + "-" + mode;
      List<Process> clients = startClients(cluster, conf, name);
      injectFaults(cluster, agent, clients);
      Map<String, Long> counts = results(cluster, clients);
      report(name, counts);

      assertThat(counts.get("WRONG_BYTES")).as("wrong bytes").isZero();
      assertThat(counts.get(Count.FAILED_WHERE_STOCK_DID_NOT.name())).as("failed").isZero();
      if (mode == ReadMode.DIRECT) {
        assertThat(counts.get(Count.NOT_FOUND_WHERE_STOCK_DID.name())).as("not found").isZero();
      }
      assertThat(counts.get("READ")).isPositive();
      assertThat(counts.get("rdioBytes")).isPositive();
      assertThat(counts.get("agentBytes") > 0).isEqualTo(mode == ReadMode.BY_AGENT);
      assertThat(faults).isNotEmpty();
      stock.delete(SoakClient.FOLDER, true);
      for (int i = 0; i < DATA_NODES; i++) {
        Path mount = cluster.volume(i).mountPoint();
        await("nothing stays pinned on DataNode " + i)
            .atMost(PATIENCE)
            .untilAsserted(() -> assertThat(Maps.pinFiles(mount)).isEmpty());
      }
    }
  }

  private static Cluster start(String fsType) throws IOException {
    return TestClusters.builder()
        .fileSystem(fsType)
        .dataNodes(DATA_NODES)
        .volumeBytes(400L << 20)
        .set("dfs.blocksize", Integer.toString(SoakClient.BLOCK))
        .set("dfs.datanode.rdio.lease.duration", "4s")
        .set("dfs.datanode.rdio.io.time.max", "1s")
        .set("dfs.datanode.rdio.recall.check.interval", "200ms")
        .set("dfs.client.rdio.lease.margin", "500ms")
        .set("dfs.client.rdio.datanode.backoff", "500ms")
        // Once with stock HDFS in front of each new map, once without.
        .set("dfs.client.rdio.first.bytes", fsType.equals("xfs") ? "256k" : "0")
        .set("dfs.client.retry.window.base", "50")
        .set("dfs.namenode.redundancy.interval.seconds", "1s")
        .start();
  }

  private static List<Process> startClients(Cluster cluster, Path conf, String name)
      throws IOException {
    List<Process> clients = new ArrayList<>();
    for (int i = 0; i < CLIENTS; i++) {
      Process client =
          cluster
              .jvm(
                  conf,
                  List.of("-Xmx512m"),
                  SoakClient.class.getName(),
                  Long.toString(SECONDS),
                  Long.toString(SEED + 100L * i))
              .redirectError(new File("target", "soak-" + name + "-client" + i + ".err"))
              .redirectOutput(output(cluster, i).toFile())
              .start();
      cluster.killLater(client);
      clients.add(client);
    }
    return clients;
  }

  private static Path output(Cluster cluster, int client) {
    return cluster.folder().resolve("soak-client" + client + ".out");
  }

  private void injectFaults(Cluster cluster, @Nullable AgentProcess agent, List<Process> clients)
      throws Exception {
    SplittableRandom random = new SplittableRandom(SEED);
    int first = agent == null ? 2 : 0; // of the faults that there can be
    long end = System.nanoTime() + Duration.ofSeconds(SECONDS).plus(PATIENCE).toNanos();
    for (int turn = 0; areAlive(clients) && System.nanoTime() - end < 0; turn++) {
      Process client = clients.get(random.nextInt(CLIENTS));
      switch (first + turn % (5 - first)) {
        case 0 -> kill(Objects.requireNonNull(agent));
        case 1 -> pause(Objects.requireNonNull(agent), client);
        case 2 -> killDataNode(cluster.dataNode(random.nextInt(DATA_NODES)));
        case 3 -> pause(client);
        default -> fillVolume(cluster.volume(random.nextInt(DATA_NODES)).mountPoint());
      }
      // Some time without a fault, in which RDIO can serve.
      clients.get(0).waitFor(2_000 + random.nextInt(2_000), TimeUnit.MILLISECONDS);
    }
  }

  private static boolean areAlive(List<Process> clients) {
    return clients.stream().allMatch(Process::isAlive);
  }

  private void killDataNode(HadoopDaemon dataNode) throws IOException {
    dataNode.kill();
    dataNode.start();
    faults.merge("DataNode killed", 1, Integer::sum);
  }

  private void pause(Process client) throws Exception {
    try {
      Command.run("kill", "-STOP", Long.toString(client.pid()));
    } catch (IOException e) {
      if (!client.waitFor(PAUSE_SECONDS, TimeUnit.SECONDS)) {
        throw e;
      }
    }
    if (!client.waitFor(PAUSE_SECONDS, TimeUnit.SECONDS)) { // else it was ending: its time was up
      Command.run("kill", "-CONT", Long.toString(client.pid()));
      faults.merge("client paused", 1, Integer::sum);
    }
  }

  /** For as long as a client is. */
  private void pause(AgentProcess agent, Process client) throws Exception {
    agent.pause();
    client.waitFor(PAUSE_SECONDS, TimeUnit.SECONDS);
    agent.resume();
    faults.merge("agent paused", 1, Integer::sum);
  }

  private void kill(AgentProcess agent) throws IOException {
    agent.kill();
    agent.restart();
    faults.merge("agent killed", 1, Integer::sum);
  }

  private void fillVolume(Path mount) throws IOException {
    FreeSpace space = new FreeSpace(mount);
    space.fill();
    space.empty();
    faults.merge("volume filled", 1, Integer::sum);
  }

  /** The clients' counts, added up. */
  private static Map<String, Long> results(Cluster cluster, List<Process> clients)
      throws Exception {
    Map<String, Long> sums = new TreeMap<>();
    for (int i = 0; i < CLIENTS; i++) {
      assertThat(ProcessEnd.statusOf(clients.get(i), "client " + i))
          .as("status of client " + i)
          .isZero();
      String line =
          Files.readAllLines(output(cluster, i)).stream()
              .filter(text -> text.startsWith(SoakClient.MARK))
              .findAny()
              .orElseThrow();
      for (String word : line.substring(SoakClient.MARK.length()).split(" ", -1)) {
        String[] pair = word.split("=", 2);
        sums.merge(pair[0], Long.parseLong(pair[1]), Long::sum);
      }
    }
    return sums;
  }

  private void report(String name, Map<String, Long> counts) throws IOException {
    String text =
        "seed "
            + SEED
            + ", "
            + SECONDS
            + " s, "
            + name
            + "\nfaults "
            + faults
            + "\ncounts "
            + counts
            + "\n";
    System.out.print(text);
    Files.writeString(Path.of("target", "soak-" + name + ".txt"), text);
  }
}
