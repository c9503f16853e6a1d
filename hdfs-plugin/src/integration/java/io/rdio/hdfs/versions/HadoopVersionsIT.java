// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.versions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rdio.hdfs.cluster.AgentDaemon;
import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.cluster.Shape;
import io.rdio.hdfs.cluster.TestClusters;
import io.rdio.hdfs.it.Counts;
import io.rdio.hdfs.it.Maps;
import io.rdio.hdfs.it.RdioClient;
import io.rdio.hdfs.it.ReadOnce;
import io.rdio.hdfs.it.SeededFile;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The one jar in the daemons and the clients of the lines of Hadoop that people run: each as Maven
 * Central has it, in JVMs of its own.
 */
@Tag("loop")
@ParameterizedClass(name = "{0}")
@MethodSource("io.rdio.hdfs.cluster.TestClusters#hadoopLines")
class HadoopVersionsIT {
  private static final boolean ALL = Boolean.getBoolean("rdio.test.all");
  private static final List<String> CLIENTS = TestClusters.hadoopLines();

  private static final int BLOCK = 1 << 20;
  private static final Duration SOON = Duration.ofMinutes(1);

  /** What NameNode, DataNode and agent run. */
  @Parameter String daemons;

  private static Cluster cluster;
  private static FileSystem stock;

  @BeforeParameterizedClassInvocation
  static void start(String daemons) throws IOException {
    cluster =
        Shape.PLAIN_EXT4
            .builder()
            .classPath(TestClusters.withAllOfRdio(daemons))
            .set("dfs.block.access.token.enable", "true") // its keys have another form in each line
            .start();
    stock = cluster.fileSystem(false);
    TestClusters.warmUp(cluster);
  }

  @AfterParameterizedClassInvocation
  static void stop() throws IOException {
    stock.close();
    cluster.close();
  }

  @Test
  void clientsOfAllLinesReadByRdio() throws Exception {
    SeededFile file = SeededFile.write(stock, "/all-lines", 5 * BLOCK + 12_345, 1);
    Path direct =
        cluster.addConfFolder("conf-direct", true, Map.of("dfs.client.rdio.agent", "off"));
    Path vectored =
        cluster.addConfFolder(
            "conf-vectored", true, Map.of("fs.hdfs.impl", "io.rdio.hdfs.client.RdioFileSystem"));
    for (String client : CLIENTS) {
      assertThat(read(client, direct, file)).as("%s by itself", client).isEqualTo(all(file, false));
      if (ALL || client.equals(daemons)) { // daemons do not see how it reads
        assertThat(read(client, vectored, file, ReadOnce.VECTORED))
            .as("%s by readVectored", client)
            .isEqualTo(all(file, false));
      }
    }
    Path byAgent =
        cluster.addConfFolder("conf-by-agent", true, Map.of("dfs.client.rdio.agent", "required"));
    AgentDaemon agent = AgentDaemon.start(cluster);
    try {
      for (String client : CLIENTS) {
        assertThat(read(client, byAgent, file))
            .as("%s by agent", client)
            .isEqualTo(all(file, true));
      }
    } finally {
      ProcessHandle.of(agent.pid()).ifPresent(ProcessHandle::destroyForcibly);
    }
  }

  private ReadOnce.Result read(String client, Path conf, SeededFile file, String... more)
      throws Exception {
    return ReadOnce.runOn(TestClusters.withAllOfRdio(client), cluster, conf, file.path(), more);
  }

  private static ReadOnce.Result all(SeededFile file, boolean byAgent) {
    long length = file.bytes().length;
    return new ReadOnce.Result(ReadOnce.crcOf(file.bytes()), length, byAgent ? length : 0, "");
  }

  @Test
  void changesAreSeenAndPinsGoAway() throws Exception {
    SeededFile grows = SeededFile.write(stock, "/grows", BLOCK / 2, 2);
    SeededFile shrinks = SeededFile.write(stock, "/shrinks", BLOCK, 3);
    SeededFile goes = SeededFile.write(stock, "/goes", 3 * BLOCK, 4);
    byte[] more = SeededFile.random(BLOCK, 5);
    Set<Path> ofOthers = pins();
    try (RdioClient client = RdioClient.of(cluster);
        FSDataInputStream old = client.fs().open(goes.path())) {
      client.readByRdio(grows);
      client.readByRdio(shrinks);
      old.readFully(0, new byte[BLOCK]);
      assertThat(ours(ofOthers)).hasSizeGreaterThanOrEqualTo(3);

      try (FSDataOutputStream out = stock.append(grows.path())) {
        out.write(more);
      }
      Counts.awaitReadByRdio(client.fs(), grown(grows, more), SOON);
      truncate(shrinks.path(), BLOCK / 2);
      Counts.awaitReadByRdio(
          client.fs(), new SeededFile(shrinks.path(), shrinks.range(0, BLOCK / 2)), SOON);
      stock.delete(goes.path(), false);
      stock.delete(grows.path(), false);
      stock.delete(shrinks.path(), false);
      await().atMost(SOON).until(() -> ours(ofOthers).isEmpty());
    }
  }

  /** Returns once the DataNodes have done it. */
  private void truncate(org.apache.hadoop.fs.Path file, long length) throws IOException {
    if (!stock.truncate(file, length)) {
      await().atMost(SOON).until(() -> ((DistributedFileSystem) stock).isFileClosed(file));
    }
  }

  private static Set<Path> ours(Set<Path> ofOthers) throws IOException {
    Set<Path> ours = pins();
    ours.removeAll(ofOthers);
    return ours;
  }

  private static Set<Path> pins() throws IOException {
    return new HashSet<>(Maps.pinFiles(cluster.volume(0).mountPoint()));
  }

  private static SeededFile grown(SeededFile file, byte[] more) {
    byte[] all = Arrays.copyOf(file.bytes(), file.bytes().length + more.length);
    System.arraycopy(more, 0, all, file.bytes().length, more.length);
    return new SeededFile(file.path(), all);
  }

  @Test
  void readersSurviveARestartOfTheDataNode() throws Exception {
    SeededFile file = SeededFile.write(stock, "/over-a-restart", 3 * BLOCK, 6);
    try (RdioClient client = RdioClient.of(cluster)) {
      client.readByRdio(file);
      cluster.dataNode(0).stop();
      cluster.dataNode(0).start();
      cluster.dataNode(0).awaitReady();
      Counts.awaitReadByRdio(client.fs(), file, SOON);
    }
  }
}
