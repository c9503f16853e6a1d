// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rdio.core.testing.Command;
import io.rdio.core.testing.Requirements;
import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.cluster.HadoopDaemon;
import io.rdio.hdfs.cluster.TestClusters;
import io.rdio.hdfs.fault.SoakClient.Count;
import io.rdio.hdfs.it.FreeSpace;
import io.rdio.hdfs.it.Maps;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Two clients and two DataNodes that are busy with everything at once, while DataNodes are killed,
 * clients are paused past their leases and volumes are full. {@code -Drdio.soak.seconds=N} sets how
 * long, {@code -Drdio.soak.seed=N} repeats a run's choices. What happened is written to {@code
 * target/soak-FILESYSTEM.txt}.
 */
@Tag("loop")
class SoakIT {
  private static final long SECONDS = Long.getLong("rdio.soak.seconds", 45);
  private static final long SEED = Long.getLong("rdio.soak.seed", System.nanoTime());
  private static final int CLIENTS = 2;
  private static final int DATA_NODES = 2;
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  /** Longer than lease and longest I/O together. */
  private static final long PAUSE_SECONDS = 6;

  private final Map<String, Integer> faults = new TreeMap<>();

  @ParameterizedTest
  @ValueSource(strings = {"ext4", "xfs"})
  void everythingAtOnce(String fsType) throws Exception {
    Requirements.requireLoop(fsType);
    try (Cluster cluster =
            TestClusters.builder()
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
        FileSystem stock = cluster.fileSystem(false)) {
      stock.mkdirs(SoakClient.FOLDER);
      List<Process> clients = startClients(cluster, fsType);
      injectFaults(cluster, clients);
      Map<String, Long> counts = results(cluster, clients);
      report(fsType, counts);

      assertThat(counts.get("WRONG_BYTES")).as("wrong bytes").isZero();
      assertThat(counts.get(Count.FAILED_WHERE_STOCK_DID_NOT.name())).as("failed").isZero();
      assertThat(counts.get("READ")).isPositive();
      assertThat(counts.get("rdioBytes")).isPositive();
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

  private static List<Process> startClients(Cluster cluster, String fsType) throws IOException {
    List<Process> clients = new ArrayList<>();
    for (int i = 0; i < CLIENTS; i++) {
      Process client =
          cluster
              .jvm(
                  cluster.confFolder(true),
                  List.of("-Xmx512m"),
                  SoakClient.class.getName(),
                  Long.toString(SECONDS),
                  Long.toString(SEED + 100L * i))
              .redirectError(new File("target", "soak-" + fsType + "-client" + i + ".err"))
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

  private void injectFaults(Cluster cluster, List<Process> clients) throws Exception {
    SplittableRandom random = new SplittableRandom(SEED);
    for (int turn = 0; clients.stream().allMatch(Process::isAlive); turn++) {
      switch (turn % 3) {
        case 0 -> killDataNode(cluster.dataNode(random.nextInt(DATA_NODES)));
        case 1 -> pause(clients.get(random.nextInt(CLIENTS)));
        default -> fillVolume(cluster.volume(random.nextInt(DATA_NODES)).mountPoint());
      }
      // Some time without a fault, in which RDIO can serve.
      clients.get(0).waitFor(2_000 + random.nextInt(2_000), TimeUnit.MILLISECONDS);
    }
  }

  private void killDataNode(HadoopDaemon dataNode) throws IOException {
    dataNode.kill();
    dataNode.start();
    faults.merge("DataNode killed", 1, Integer::sum);
  }

  private void pause(Process client) throws Exception {
    Command.run("kill", "-STOP", Long.toString(client.pid()));
    if (!client.waitFor(PAUSE_SECONDS, TimeUnit.SECONDS)) { // else it was ending: its time was up
      Command.run("kill", "-CONT", Long.toString(client.pid()));
      faults.merge("client paused", 1, Integer::sum);
    }
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
      assertThat(clients.get(i).waitFor()).as("status of client " + i).isZero();
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

  private void report(String fsType, Map<String, Long> counts) throws IOException {
    String text =
        "seed "
            + SEED
            + ", "
            + SECONDS
            + " s, "
            + fsType
            + "\nfaults "
            + faults
            + "\ncounts "
            + counts
            + "\n";
    System.out.print(text);
    Files.writeString(Path.of("target", "soak-" + fsType + ".txt"), text);
  }
}
