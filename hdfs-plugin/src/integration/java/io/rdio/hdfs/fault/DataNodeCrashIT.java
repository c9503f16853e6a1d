// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rdio.client.plane.FileMap;
import io.rdio.core.device.BlockDevice;
import io.rdio.core.testing.ExtentBytes;
import io.rdio.core.testing.Requirements;
import io.rdio.hdfs.client.direct.RdioClientContext;
import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.cluster.TestClusters;
import io.rdio.hdfs.it.Counts;
import io.rdio.hdfs.it.FreeSpace;
import io.rdio.hdfs.it.Maps;
import io.rdio.hdfs.it.SeededFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A DataNode that is killed (SIGKILL) at each step of the protocol and started again: readers get
 * right bytes or what stock HDFS gives without its only DataNode, no pin stays for ever, and what a
 * client may still read is not given to other files.
 */
@Tag("loop")
class DataNodeCrashIT {
  private static final int BLOCK = 4 << 20;
  private static final int LENGTH = 3 * BLOCK;
  private static final Duration PATIENCE = Duration.ofSeconds(90);

  private Cluster cluster;
  private FreeSpace space;
  private Steps steps;
  private FileSystem stock;
  private FileSystem rdio;

  private void start(String fsType, String leaseDuration) throws IOException {
    Requirements.requireLoop(fsType);
    cluster =
        TestClusters.builder()
            .fileSystem(fsType)
            .volumeBytes(400L << 20)
            .set("dfs.blocksize", Integer.toString(BLOCK))
            .set("dfs.datanode.plugins", StepsPlugin.PLUGINS)
            .set("dfs.datanode.rdio.lease.duration", leaseDuration)
            .set("dfs.datanode.rdio.io.time.max", "1s")
            .set("dfs.datanode.rdio.recall.check.interval", "200ms")
            .set("dfs.client.rdio.lease.margin", "500ms")
            .set("dfs.client.rdio.datanode.backoff", "500ms")
            .set("dfs.client.retry.window.base", "100")
            .set("dfs.namenode.redundancy.interval.seconds", "1s")
            .start();
    space = new FreeSpace(cluster);
    steps = Steps.of(cluster);
    stock = cluster.fileSystem(false);
    rdio = cluster.fileSystem(true);
  }

  @AfterEach
  void stop() throws IOException {
    if (cluster != null) {
      rdio.close();
      stock.close();
      RdioClientContext.get(rdio.getConf()).close();
      cluster.close();
    }
  }

  @Test
  void killedAtEachStep() throws Exception {
    start("ext4", "3s");
    killedWhileItGrants("beforeLink");
    killedWhileItGrants("afterLink");
    killedWhileItGrants("afterSync");
    killedWhileItGrants("afterRecheck");
    killedWhileItGrants("beforeReply");
    killedBetweenDeletionAndUnlink();
  }

  private void killedWhileItGrants(String step) throws Exception {
    SeededFile file = SeededFile.write(stock, "/" + step, LENGTH, step.hashCode());
    steps.hold(step);
    try (FSDataInputStream in = rdio.open(file.path())) {
      CompletableFuture<byte[]> read = CompletableFuture.supplyAsync(() -> readAll(in));
      steps.awaitReached(step);
      crashAndStartAgain(step);
      try {
        file.check(0, read.get(PATIENCE.toSeconds(), TimeUnit.SECONDS));
      } catch (ExecutionException e) {
        assertThat(e).as("no DataNode").hasRootCauseInstanceOf(IOException.class);
      }
    }
    Counts.awaitReadByRdio(rdio, file, PATIENCE);
    deleteAndAwaitSpace(file);
  }

  private void killedBetweenDeletionAndUnlink() throws Exception {
    SeededFile file = SeededFile.write(stock, "/beforeUnpin", LENGTH, 1);
    Counts.awaitReadByRdio(rdio, file, PATIENCE);
    long free = space.bytes();
    steps.hold("beforeUnpin");
    stock.delete(file.path(), false);
    steps.awaitReached("beforeUnpin");
    assertThat(Maps.pinFiles(cluster.volume(0).mountPoint())).isNotEmpty();
    crashAndStartAgain("beforeUnpin");
    awaitSpace(free + LENGTH);
  }

  @ParameterizedTest
  @MethodSource("io.rdio.hdfs.cluster.TestClusters#fileSystems")
  void startedAgainWhileLeasesAreOut(String fsType) throws Exception {
    start(fsType, "20s");
    SeededFile file = SeededFile.write(stock, "/doomed", LENGTH, 2);
    Counts counts = Counts.now();
    try (FSDataInputStream in = rdio.open(file.path())) {
      file.check(0, in.readNBytes(LENGTH));
      counts.assertNoFallback();
      FileMap map = Maps.of(rdio, file.path(), 0);
      BlockDevice device = Maps.deviceOf(rdio, map);
      long free = space.bytes();

      cluster.dataNode(0).kill();
      stock.delete(file.path(), false);
      cluster.dataNode(0).start();
      await()
          .atMost(PATIENCE)
          .until(() -> Maps.blockFiles(cluster.volume(0).mountPoint()).isEmpty());
      space.fill();
      byte[] raw = ExtentBytes.read(device, map.blockExtents(), BLOCK);
      assertThat(Arrays.equals(raw, file.range(0, BLOCK))).as("extents are as they were").isTrue();
      readOrFail(in, file);

      space.empty();
      awaitSpace(free + LENGTH);
      space.fill();
      readOrFail(in, file);
    }
  }

  private void crashAndStartAgain(String step) throws IOException {
    cluster.dataNode(0).kill();
    steps.release(step);
    cluster.dataNode(0).start();
  }

  private void deleteAndAwaitSpace(SeededFile file) throws IOException {
    long free = space.bytes();
    stock.delete(file.path(), false);
    awaitSpace(free + file.bytes().length);
  }

  /** Until nothing is pinned and so many bytes are free, but for what the DataNode logs itself. */
  private void awaitSpace(long bytes) {
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> {
              assertThat(Maps.blockFiles(cluster.volume(0).mountPoint())).isEmpty();
              assertThat(Maps.pinFiles(cluster.volume(0).mountPoint())).isEmpty();
              assertThat(space.bytes()).isGreaterThan(bytes - BLOCK);
            });
  }

  private static byte[] readAll(FSDataInputStream in) {
    try {
      return in.readNBytes(LENGTH);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Right bytes, or an exception, which is what stock HDFS has for a file that is gone. */
  private static void readOrFail(FSDataInputStream in, SeededFile file) {
    for (int at = 0; at < LENGTH; at += BLOCK / 3) {
      byte[] got = new byte[1000];
      try {
        in.readFully(at, got);
      } catch (IOException gone) {
        continue;
      }
      file.check(at, got);
    }
  }
}
