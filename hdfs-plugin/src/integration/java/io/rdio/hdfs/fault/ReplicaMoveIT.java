// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.fault;

import static io.rdio.hdfs.cluster.Shape.SHORT_EXT4;
import static io.rdio.hdfs.cluster.Shape.SHORT_TWO_NODES;
import static org.awaitility.Awaitility.await;

import io.rdio.core.testing.Requirements;
import io.rdio.hdfs.client.direct.RdioClientContext;
import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.cluster.LoopVolume;
import io.rdio.hdfs.cluster.SharedClusters;
import io.rdio.hdfs.cluster.Shares;
import io.rdio.hdfs.it.Counts;
import io.rdio.hdfs.it.FreeSpace;
import io.rdio.hdfs.it.Maps;
import io.rdio.hdfs.it.SeededFile;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * Replicas that HDFS moves, recovers and copies while a reader holds their map. The file is there
 * all the time, so every read must succeed with the file's bytes, and RDIO must serve it again.
 */
@Tag("loop")
@Shares({SHORT_EXT4, SHORT_TWO_NODES})
class ReplicaMoveIT {
  private static final int BLOCK = 4 << 20;
  private static final int LENGTH = 3 * BLOCK;
  private static final int ROUNDS = Boolean.getBoolean("rdio.test.all") ? 2 : 1;
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private SharedClusters clusters;
  private Cluster cluster;
  private FileSystem stock;
  private FileSystem rdio;

  @BeforeEach
  void share(SharedClusters shared) {
    clusters = shared;
  }

  private void useClients(Cluster running) throws IOException {
    cluster = running;
    stock = FileSystem.newInstance(conf(false));
    rdio = FileSystem.newInstance(conf(true));
  }

  private Configuration conf(boolean byRdio) {
    Configuration conf = cluster.clientConf(byRdio);
    conf.setInt("dfs.blocksize", BLOCK);
    conf.set("dfs.client.rdio.datanode.backoff", "500ms");
    // As by default: no read may fail, and a replica may be away for a moment.
    conf.unset("dfs.client.retry.window.base");
    return conf;
  }

  private void closeClients() throws IOException {
    if (rdio != null) {
      rdio.close();
      stock.close();
      RdioClientContext.get(rdio.getConf()).close();
      rdio = null;
    }
  }

  @AfterEach
  void stop() throws IOException {
    closeClients();
    clusters.clean(SHORT_EXT4);
    clusters.clean(SHORT_TWO_NODES);
  }

  @Test
  @EnabledIfSystemProperty(named = "rdio.test.all", matches = "true")
  void movedByTheDiskBalancer() throws Exception {
    Requirements.requireLoop("ext4");
    try (LoopVolume from = LoopVolume.create("ext4", 400L << 20, LoopVolume.Backing.TMPFS);
        LoopVolume to = LoopVolume.create("ext4", 400L << 20, LoopVolume.Backing.TMPFS);
        Cluster own =
            SHORT_EXT4
                .builder()
                .set(
                    "dfs.datanode.data.dir",
                    Stream.of(from, to)
                        .map(volume -> "[DISK]" + volume.mountPoint().resolve("data"))
                        .collect(Collectors.joining(",")))
                .start()) {
      useClients(own);
      FreeSpace target = new FreeSpace(to.mountPoint());
      target.fill(); // so that all is written to the other volume
      SeededFile file = SeededFile.write(stock, "/file", 10 * BLOCK, 1);
      target.empty();
      try (FSDataInputStream in = rdio.open(file.path())) {
        read(in, file, 1);
        new DiskBalancer(cluster, stock).start(PATIENCE);
        await().atMost(PATIENCE).until(() -> !Maps.blockFiles(to.mountPoint()).isEmpty());
        read(in, file, 2);
        await().atMost(PATIENCE).until(() -> Maps.blockFiles(from.mountPoint()).size() < 10);
        new FreeSpace(from.mountPoint()).fill();
        read(in, file, 3);
      }
      new FreeSpace(from.mountPoint()).empty();
      Counts.awaitReadByRdio(rdio, file, PATIENCE);
      closeClients();
    }
  }

  @Test
  void recoveredWithNewGenerationStamps() throws Exception {
    useClients(clusters.of(SHORT_EXT4));
    SeededFile file = SeededFile.write(stock, "/file", LENGTH - 1000, 2);
    byte[] more = SeededFile.random(BLOCK, 3);
    DistributedFileSystem recoverer = (DistributedFileSystem) stock;
    try (FSDataInputStream in = rdio.open(file.path())) {
      read(in, file, 1);
      try (FileSystem writer = cluster.fileSystem(false)) {
        FSDataOutputStream out = writer.append(file.path()); // one new generation stamp
        out.write(more);
        out.hflush();
        read(in, file, 2);
        recoverer.recoverLease(file.path()); // and another
        await().atMost(PATIENCE).until(() -> recoverer.isFileClosed(file.path()));
      }
      new FreeSpace(cluster).fill();
      read(in, file, 3);
    }
    new FreeSpace(cluster).empty();
    byte[] all = Arrays.copyOf(file.bytes(), file.bytes().length + more.length);
    System.arraycopy(more, 0, all, file.bytes().length, more.length);
    Counts.awaitReadByRdio(rdio, new SeededFile(file.path(), all), PATIENCE);
  }

  @Test
  void invalidatedAndReplicatedAgain() throws Exception {
    useClients(clusters.of(SHORT_TWO_NODES));
    SeededFile file = SeededFile.write(stock, "/file", LENGTH, 4);
    await().atMost(PATIENCE).until(() -> replicas() == 6);
    try (FSDataInputStream in = rdio.open(file.path())) {
      for (int round = 0; round < ROUNDS; round++) {
        read(in, file, round);
        stock.setReplication(file.path(), (short) 1);
        await().atMost(PATIENCE).until(() -> replicas() == 3);
        for (int i = 0; i < 2; i++) {
          new FreeSpace(cluster.volume(i).mountPoint()).fill();
        }
        read(in, file, 10 + round);
        for (int i = 0; i < 2; i++) {
          new FreeSpace(cluster.volume(i).mountPoint()).empty();
        }
        stock.setReplication(file.path(), (short) 2);
        await().atMost(PATIENCE).until(() -> replicas() == 6);
      }
      read(in, file, 20);
    }
    Counts.awaitReadByRdio(rdio, file, PATIENCE);
  }

  @Test
  void writtenOnAfterADataNodeDied() throws Exception {
    useClients(clusters.of(SHORT_TWO_NODES));
    byte[] bytes = SeededFile.random(LENGTH, 5);
    SeededFile file = new SeededFile(new org.apache.hadoop.fs.Path("/file"), bytes);
    try (FSDataOutputStream out = stock.create(file.path())) {
      out.write(bytes, 0, BLOCK / 2);
      out.hflush();
      cluster.dataNode(1).kill();
      out.write(bytes, BLOCK / 2, LENGTH - BLOCK / 2); // the pipeline goes on under a new stamp
    }
    try (FSDataInputStream in = rdio.open(file.path())) {
      read(in, file, 1);
      cluster.dataNode(1).start(); // with a stale replica of the first block
      read(in, file, 2);
    }
    Counts.awaitReadByRdio(rdio, file, PATIENCE);
  }

  private int replicas() throws IOException {
    return Maps.blockFiles(cluster.volume(0).mountPoint()).size()
        + Maps.blockFiles(cluster.volume(1).mountPoint()).size();
  }

  /** Positional reads all over the file, then all of it in order. */
  private static void read(FSDataInputStream in, SeededFile file, long seed) throws IOException {
    Random random = new Random(seed);
    for (int i = 0; i < 50; i++) {
      byte[] got = new byte[1 + random.nextInt(50_000)];
      int at = random.nextInt(file.bytes().length - got.length);
      in.readFully(at, got);
      file.check(at, got);
    }
    in.seek(0);
    file.check(0, in.readNBytes(file.bytes().length));
  }
}
