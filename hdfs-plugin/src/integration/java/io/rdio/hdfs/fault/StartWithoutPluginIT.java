// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.fault;

import static io.rdio.core.FallbackReason.METADATA_PLANE_UNREACHABLE;
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
import io.rdio.hdfs.it.RdioClient;
import io.rdio.hdfs.it.SeededFile;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A DataNode that is started without the plugin while pins of an earlier start are on its volume,
 * and then with it again: HDFS deletes and appends as ever, what clients may still read by their
 * maps is not given to other files, and in the end the pins go.
 */
@Tag("loop")
class StartWithoutPluginIT {
  private static final int BLOCK = 4 << 20;
  private static final String PLUGINS = "dfs.datanode.plugins";
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @Test
  @SuppressWarnings("try") // the context is kept in use
  void pinsAreKeptWithoutThePluginAndHonouredWithItAgain() throws Exception {
    Requirements.requireLoop("ext4");
    try (Cluster cluster = cluster();
        FileSystem stock = cluster.fileSystem(false);
        FileSystem rdio = cluster.fileSystem(true);
        RdioClientContext ignored = RdioClientContext.get(rdio.getConf())) {
      Path volume = cluster.volume(0).mountPoint();
      FreeSpace space = new FreeSpace(cluster);
      SeededFile doomed = SeededFile.write(stock, "/doomed", BLOCK, 1);
      SeededFile growing = SeededFile.write(stock, "/growing", BLOCK - 1000, 2);
      Counts.awaitReadByRdio(rdio, doomed, PATIENCE);
      Counts.awaitReadByRdio(rdio, growing, PATIENCE);
      FileMap doomedMap = Maps.of(rdio, doomed.path(), 0);
      FileMap growingMap = Maps.of(rdio, growing.path(), 0);
      BlockDevice device = Maps.deviceOf(rdio, doomedMap);
      DataNodeConf conf = new DataNodeConf(cluster);
      String plugins = conf.get(PLUGINS);

      cluster.dataNode(0).kill();
      conf.set(PLUGINS, "");
      cluster.dataNode(0).start();
      stock.delete(doomed.path(), false);
      SeededFile grown = append(stock, growing, SeededFile.random(500, 3));
      await().atMost(PATIENCE).until(() -> Maps.blockFiles(volume).size() == 1);
      assertReadByStock(cluster, grown);
      space.fill();
      assertThat(Maps.pinFiles(volume)).hasSize(4);
      assertExtents(device, doomedMap, doomed);
      assertExtents(device, growingMap, growing);
      assertWhole(rdio, grown);
      space.empty();

      cluster.dataNode(0).stop();
      conf.set(PLUGINS, plugins);
      cluster.dataNode(0).start();
      assertThat(Maps.pinFiles(volume)).as("a full term from this start on").hasSize(4);
      assertExtents(device, doomedMap, doomed);
      await().atMost(PATIENCE).until(() -> Maps.pinFiles(volume).isEmpty());
      Counts.awaitReadByRdio(rdio, grown, PATIENCE);
    }
  }

  private static Cluster cluster() throws IOException {
    return TestClusters.builder()
        .volumeBytes(400L << 20)
        .set("dfs.blocksize", Integer.toString(BLOCK))
        .set("dfs.datanode.rdio.lease.duration", "10s")
        .set("dfs.datanode.rdio.io.time.max", "1s")
        .set("dfs.datanode.rdio.recall.check.interval", "200ms")
        .set("dfs.client.rdio.lease.margin", "500ms")
        .set("dfs.client.rdio.datanode.backoff", "500ms")
        .start();
  }

  /** By a client that has nothing of before. */
  private static void assertReadByStock(Cluster cluster, SeededFile file) throws Exception {
    try (RdioClient later = RdioClient.of(cluster, "dfs.client.rdio.datanode.backoff", "1m")) {
      assertThat(later.readByStock(file)).containsOnlyKeys(METADATA_PLANE_UNREACHABLE);
    }
  }

  private static void assertWhole(FileSystem fs, SeededFile file) throws IOException {
    try (FSDataInputStream in = fs.open(file.path())) {
      file.check(0, in.readNBytes(file.bytes().length));
    }
  }

  private static SeededFile append(FileSystem stock, SeededFile file, byte[] more)
      throws Exception {
    try (FSDataOutputStream out = stock.append(file.path())) {
      out.write(more);
    }
    byte[] all = Arrays.copyOf(file.bytes(), file.bytes().length + more.length);
    System.arraycopy(more, 0, all, file.bytes().length, more.length);
    return new SeededFile(file.path(), all);
  }

  private static void assertExtents(BlockDevice device, FileMap map, SeededFile file)
      throws Exception {
    int length = file.bytes().length;
    file.check(0, ExtentBytes.read(device, map.blockExtents(), length));
  }
}
