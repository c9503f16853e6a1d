// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.fault;

import static io.rdio.hdfs.cluster.Shape.SHORT_EXT4;
import static io.rdio.hdfs.cluster.Shape.SHORT_XFS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rdio.client.plane.FileMap;
import io.rdio.core.device.BlockDevice;
import io.rdio.core.testing.ExtentBytes;
import io.rdio.hdfs.client.direct.RdioClientContext;
import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.cluster.Shape;
import io.rdio.hdfs.cluster.SharedClusters;
import io.rdio.hdfs.cluster.Shares;
import io.rdio.hdfs.it.FreeSpace;
import io.rdio.hdfs.it.Maps;
import io.rdio.hdfs.it.SeededFile;
import java.io.IOException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A client that is stopped (SIGSTOP, as a long garbage collection or a suspended machine) in the
 * middle of a read, for longer than its lease, while the block is deleted and other files get its
 * space: when it goes on it must not return a byte of theirs. It verifies no checksums, which would
 * hide what the lease is for.
 */
@Tag("loop")
@Shares({SHORT_EXT4, SHORT_XFS})
class PausedClientIT {
  private static final int BLOCK = 4 << 20;
  private static final int READ_LENGTH = 100_000;
  private static final Duration GONE_MAX = Duration.ofSeconds(60);

  private Cluster cluster;
  private FileSystem stock;
  private FileSystem rdio;

  private void start(Cluster shared) throws IOException {
    cluster = shared;
    Configuration conf = cluster.clientConf(false);
    conf.setInt("dfs.blocksize", BLOCK);
    stock = FileSystem.newInstance(conf);
    rdio = cluster.fileSystem(true);
  }

  @AfterEach
  void stop() throws IOException {
    if (rdio != null) {
      rdio.close();
      stock.close();
      RdioClientContext.get(rdio.getConf()).close();
    }
  }

  @ParameterizedTest
  @MethodSource("io.rdio.hdfs.cluster.TestClusters#fileSystems")
  void readsNothingOfAnotherFile(String fsType, SharedClusters clusters) throws Exception {
    start(clusters.of(Shape.ofShortLeases(fsType)));
    try (RemoteClient client = RemoteClient.start(cluster)) {
      pausedAt("beforeDeviceRead", client, 1);
      pausedAt("afterDeviceRead", client, 2);
      pausedAt("beforeLeaseRecheck", client, 3);
    }
  }

  private void pausedAt(String step, RemoteClient client, int round) throws Exception {
    Steps steps = Steps.of(cluster);
    SeededFile file =
        await("room, after the volume was full, also in the NameNode's eyes")
            .atMost(GONE_MAX)
            .ignoreExceptions()
            .until(
                () -> SeededFile.write(stock, "/doomed-" + round, BLOCK, round), Objects::nonNull);
    FileMap map = Maps.of(rdio, file.path(), 0);
    BlockDevice device = Maps.deviceOf(rdio, map);
    client.open(file.path().toString());
    file.check(0, client.read(0, READ_LENGTH).get());
    assertThat(client.counts()).contains("rdioBytes=" + round * READ_LENGTH);

    steps.hold(step);
    long at = BLOCK / 2;
    CompletableFuture<byte[]> read = client.read(at, READ_LENGTH);
    steps.awaitReached(step);
    client.pause();
    steps.release(step);

    stock.delete(file.path(), false);
    await()
        .atMost(GONE_MAX)
        .until(() -> isDeleted() && Maps.pinFiles(cluster.volume(0).mountPoint()).isEmpty());
    FreeSpace space = new FreeSpace(cluster);
    space.fill();
    assertThat(fillerIn(ExtentBytes.read(device, map.blockExtents(), BLOCK)))
        .as("bytes of other files that are now where the block was")
        .isGreaterThan(BLOCK * 9 / 10);

    client.resume();
    assertThatThrownBy(() -> read.get(60, TimeUnit.SECONDS))
        .as("no replica is left, and the device has other bytes")
        .hasMessageContaining("File does not exist");
    assertThat(client.counts()).contains("staleMaps=" + round, "REPLICA_NOT_FOUND=" + round);
    space.empty();
  }

  private static int fillerIn(byte[] bytes) {
    int count = 0;
    for (byte b : bytes) {
      count += b == FreeSpace.FILLER ? 1 : 0;
    }
    return count;
  }

  private boolean isDeleted() throws IOException {
    return Maps.blockFiles(cluster.volume(0).mountPoint()).isEmpty();
  }
}
