// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.client.plane.FileMap;
import io.rdio.client.plane.grant.GrantOrigin;
import io.rdio.core.FallbackException;
import io.rdio.core.testing.Command;
import io.rdio.core.testing.Requirements;
import io.rdio.hdfs.client.direct.RdioClientContext;
import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.cluster.TestClusters;
import io.rdio.hdfs.it.Counts;
import io.rdio.hdfs.it.Maps;
import io.rdio.hdfs.it.RdioClient;
import io.rdio.hdfs.it.ReadMode;
import io.rdio.hdfs.it.SeededFile;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.time.Duration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Files of one replica go on being read when their DataNode is killed (SIGKILL), by the file
 * system's metadata on the device: by clients that read them before, and by such as did not. What
 * the NameNode does not list any more is read by nobody, and a DataNode that is back is asked
 * again.
 */
@Tag("loop")
class DeadDataNodeIT {
  private static final int BLOCK = 4 << 20;
  private static final int LENGTH = 3 * BLOCK + 12345;
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private Cluster cluster;
  private FileSystem stock;
  private SeededFile file;
  private SeededFile doomed;

  @BeforeEach
  void start() throws Exception {
    Requirements.requireLoop("ext4");
    cluster =
        PastDataNodes.builder()
            .volumeBytes(400L << 20)
            .set("dfs.blocksize", Integer.toString(BLOCK))
            .start();
    TestClusters.warmUp(cluster);
    stock = cluster.fileSystem(false);
    file = SeededFile.write(stock, "/file", LENGTH, 1);
    doomed = SeededFile.write(stock, "/doomed", LENGTH, 2);
    Command.run("sync", "-f", cluster.volume(0).mountPoint().toString());
  }

  @AfterEach
  void stop() throws IOException {
    if (stock != null) {
      stock.close();
    }
    if (cluster != null) {
      cluster.close();
    }
  }

  private RdioClient client(ReadMode mode, String plane) throws IOException {
    return RdioClient.of(cluster, mode, "dfs.client.rdio.metadata-plane", plane);
  }

  private static long mapsByDevice() {
    return RdioClientContext.counters().mapsByDevice.sum();
  }

  @ParameterizedTest
  @EnumSource(ReadMode.class)
  void filesGoOnBeingRead(ReadMode mode) throws Exception {
    try (RdioClient warm = client(mode, "auto")) {
      long before = mapsByDevice();
      Awaitility.await().atMost(PATIENCE).untilAsserted(() -> warm.readByRdio(file));
      assertThat(mapsByDevice()).as("while the DataNode answers").isEqualTo(before);

      cluster.dataNode(0).kill();
      assertThatThrownBy(this::readByStock).isInstanceOf(IOException.class);
      Awaitility.await("leases run out")
          .atMost(PATIENCE)
          .until(
              () -> {
                warm.readByRdio(file); // each time: no read may fall between
                return mapsByDevice() - before >= 4;
              });
    }
    long before = mapsByDevice();
    try (RdioClient cold = client(mode, "auto")) {
      cold.readByRdio(file);
      assertThat(mapsByDevice() - before).as("one for each block").isEqualTo(4);
    }
  }

  private void readByStock() throws IOException {
    try (FSDataInputStream in = stock.open(file.path())) {
      in.readFully(new byte[LENGTH]);
    }
  }

  @Test
  void whatIsDeletedIsReadByNobodyAndABackDataNodeIsAsked() throws Exception {
    LocatedBlock block = Maps.blocks(stock, doomed.path()).get(0);
    cluster.dataNode(0).kill();
    try (RdioClient client = client(ReadMode.DIRECT, "auto")) {
      client.readByRdio(file);
      stock.delete(doomed.path(), false);
      assertThatThrownBy(() -> client.fs().open(doomed.path()))
          .isInstanceOf(FileNotFoundException.class);
      assertThatThrownBy(() -> Maps.of(client.fs(), doomed.path(), block))
          .as("nor by its id")
          .isInstanceOf(FallbackException.class);

      cluster.dataNode(0).start();
      Awaitility.await()
          .atMost(PATIENCE)
          .untilAsserted(
              () -> {
                try (RdioClient later = client(ReadMode.DIRECT, "auto")) {
                  later.readByRdio(file);
                  FileMap map = Maps.of(later.fs(), file.path(), 0);
                  assertThat(map.origin()).isInstanceOf(GrantOrigin.class);
                }
              });
      client.readByRdio(file);
    }
  }

  @Test
  void theDeviceAloneServesBesideALivingDataNode() throws Exception {
    Counts counts = Counts.now();
    long before = mapsByDevice();
    try (RdioClient client = client(ReadMode.DIRECT, "device")) {
      client.readByRdio(file);
      client.readByRdio(doomed);
      assertThat(mapsByDevice() - before).isEqualTo(8);
      counts.assertNoFallback();
    }
  }
}
