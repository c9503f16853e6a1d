// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rdio.core.ext4.MountRecord;
import io.rdio.core.testing.Command;
import io.rdio.core.testing.Requirements;
import io.rdio.hdfs.client.direct.RdioClientContext;
import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.cluster.LoopVolume;
import io.rdio.hdfs.it.Counts;
import io.rdio.hdfs.it.FreeSpace;
import io.rdio.hdfs.it.Maps;
import io.rdio.hdfs.it.RdioClient;
import io.rdio.hdfs.it.ReadMode;
import io.rdio.hdfs.it.SeededFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Replicas of a dead DataNode go from one of its volumes to the other while clients have maps of
 * them by the device: moved by hand, as operators level the volumes of a DataNode that is down, and
 * by the disk balancer of one that is up again and whom these clients take for dead. Their old
 * space is given to other files each time. A read has the file's bytes, and the device shows where
 * they are now.
 */
@Tag("loop")
class MovedWhileDeadIT {
  private static final int BLOCK = 1 << 20;
  private static final int BLOCKS = 40;
  private static final int BY_HAND = 10;
  private static final long VOLUME = 128L << 20;
  private static final boolean ALL = Boolean.getBoolean("rdio.test.all");
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private LoopVolume from;
  private LoopVolume to;
  private Cluster cluster;
  private FileSystem stock;
  private SeededFile file;
  private final List<Reader> readers = new ArrayList<>();

  @BeforeEach
  void start() throws Exception {
    Requirements.requireLoop("ext4");
    from = LoopVolume.create("ext4", VOLUME, LoopVolume.Backing.TMPFS);
    to = LoopVolume.create("ext4", VOLUME, LoopVolume.Backing.TMPFS);
    cluster =
        PastDataNodes.builder()
            .set("dfs.blocksize", Integer.toString(BLOCK))
            .set("dfs.client.rdio.datanode.backoff", "1h") // so that they take it for dead
            .set(
                "dfs.datanode.data.dir",
                Stream.of(from, to)
                    .map(volume -> "[DISK]" + data(volume))
                    .collect(Collectors.joining(",")))
            .start();
    stock = cluster.fileSystem(false);
    awaitMountRecord(from);
    awaitMountRecord(to); // there is no room for it once that is full
    FreeSpace target = new FreeSpace(to.mountPoint());
    target.fill(); // so that all is written to the other volume
    file = SeededFile.write(stock, "/file", BLOCKS * BLOCK, 1);
    target.empty();
    assertThat(Maps.blockFiles(from.mountPoint())).hasSize(BLOCKS);
    writeBack();
  }

  @AfterEach
  void stop() throws IOException {
    for (Reader reader : readers) {
      reader.in.close();
      reader.client.close();
    }
    if (cluster != null) {
      stock.close();
      cluster.close();
    }
    if (to != null) {
      to.close();
    }
    if (from != null) {
      from.close();
    }
  }

  private static void awaitMountRecord(LoopVolume volume) {
    await().atMost(PATIENCE).until(() -> Files.exists(data(volume).resolve(MountRecord.PATH)));
  }

  private static Path data(LoopVolume volume) {
    return volume.mountPoint().resolve("data");
  }

  private void writeBack() throws IOException {
    Command.run("sync", "-f", from.mountPoint().toString());
    Command.run("sync", "-f", to.mountPoint().toString());
  }

  @Test
  void readByTheDeviceFromWhereTheyAre() throws Exception {
    cluster.dataNode(0).kill();
    for (ReadMode mode : ReadMode.values()) {
      readers.add(new Reader(mode));
    }
    assertReadByDevice();

    for (Path block : Maps.blockFiles(from.mountPoint()).subList(0, BY_HAND)) {
      moveByHand(block);
    }
    writeBack();
    readWhileOldSpaceIsTaken();
    if (ALL) {
      moveByTheDiskBalancer();
    }
  }

  private void moveByTheDiskBalancer() throws IOException {
    cluster.dataNode(0).start();
    new DiskBalancer(cluster, stock).start(PATIENCE);
    await()
        .atMost(PATIENCE)
        .until(() -> Maps.blockFiles(from.mountPoint()).size() < BLOCKS - BY_HAND);
    readOpenStreams();
    cluster.dataNode(0).kill();
    writeBack();
    readWhileOldSpaceIsTaken();
  }

  /** The block file and its meta file, to the same folders below the other volume. */
  private void moveByHand(Path block) throws IOException {
    try (Stream<Path> siblings = Files.list(block.getParent())) {
      for (Path each : siblings.toList()) {
        String name = each.getFileName().toString();
        if (name.equals(block.getFileName().toString())
            || name.startsWith(block.getFileName() + "_")) {
          Path moved = data(to).resolve(data(from).relativize(each));
          Files.createDirectories(moved.getParent());
          Files.move(each, moved);
        }
      }
    }
  }

  private void readWhileOldSpaceIsTaken() throws IOException {
    FreeSpace space = new FreeSpace(from.mountPoint());
    space.fill();
    readOpenStreams();
    assertReadByDevice();
    space.empty();
  }

  private void readOpenStreams() {
    for (Reader reader : readers) {
      await("read by an open stream, " + reader.mode).atMost(PATIENCE).until(() -> isRead(reader));
    }
  }

  /** Whether all of it was; a wrong byte is an error at once. */
  private boolean isRead(Reader reader) {
    try {
      reader.in.seek(0);
      file.check(0, reader.in.readNBytes(file.bytes().length));
      return true;
    } catch (IOException e) {
      return false; // not found for the moment; the dead DataNode cannot serve it
    }
  }

  /** Whole, by new streams, without a grant of the DataNode. */
  private void assertReadByDevice() {
    long grants = RdioClientContext.counters().mapLoads.sum();
    for (Reader reader : readers) {
      Counts.awaitRead(reader.mode, reader.client.fs(), file, PATIENCE);
    }
    assertThat(RdioClientContext.counters().mapLoads.sum()).isEqualTo(grants);
  }

  private final class Reader {
    final ReadMode mode;
    final RdioClient client;
    final FSDataInputStream in;

    Reader(ReadMode mode) throws IOException {
      this.mode = mode;
      client = RdioClient.of(cluster, mode, "dfs.client.rdio.metadata-plane", "auto");
      in = client.fs().open(file.path());
      file.check(0, in.readNBytes(file.bytes().length));
    }
  }
}
