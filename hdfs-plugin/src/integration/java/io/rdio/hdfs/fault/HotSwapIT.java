// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rdio.core.device.WitnessedDevice;
import io.rdio.core.testing.Requirements;
import io.rdio.hdfs.client.direct.RdioClientContext;
import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.cluster.LoopVolume;
import io.rdio.hdfs.cluster.TestClusters;
import io.rdio.hdfs.it.Counts;
import io.rdio.hdfs.it.Maps;
import io.rdio.hdfs.it.SeededFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Volumes of a running DataNode that {@code dfsadmin -reconfig} adds, takes away and brings back
 * while a reader has their maps: every read gives the file's bytes, nobody keeps a volume that was
 * taken away, and on each one in use maps are granted.
 */
@Tag("loop")
class HotSwapIT {
  private static final int BLOCK = 1 << 20;
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private FileSystem stock;
  private FileSystem rdio;
  private DataDirectories directories;
  private final AtomicInteger files = new AtomicInteger();

  @Test
  void addedRemovedAndBroughtBackWhileItIsRead() throws Exception {
    Requirements.requireLoop("ext4");
    try (LoopVolume added = LoopVolume.create("ext4", 200L << 20, LoopVolume.Backing.TMPFS);
        Cluster cluster =
            TestClusters.builder()
                .dataNodes(2)
                .volumeBytes(200L << 20)
                .set("dfs.blocksize", Integer.toString(BLOCK))
                .set("dfs.datanode.rdio.recall.check.interval", "200ms")
                .set("dfs.client.rdio.datanode.backoff", "500ms")
                .set("dfs.namenode.redundancy.interval.seconds", "1s")
                .start()) {
      directories = new DataDirectories(cluster);
      stock = cluster.fileSystem(false);
      rdio = cluster.fileSystem(true);
      try {
        swap(cluster.volume(0), added);
      } finally {
        rdio.close();
        stock.close();
        RdioClientContext.get(rdio.getConf()).close();
      }
    }
  }

  private long witnessNonce(SeededFile file) throws Exception {
    return ((WitnessedDevice) Maps.of(rdio, file.path(), 0).origin()).witnessNonce();
  }

  private void swap(LoopVolume first, LoopVolume added) throws Exception {
    SeededFile everywhere = SeededFile.write(stock, "/everywhere", 5 * BLOCK, 1);
    AtomicBoolean over = new AtomicBoolean();
    CompletableFuture<Integer> reads =
        CompletableFuture.supplyAsync(() -> readUntil(over, everywhere));

    SeededFile onFirst = readByRdioFrom(first);
    long nonce = witnessNonce(onFirst);
    directories.use(first, added);
    readByRdioFrom(added);
    assertThat(Maps.pinFiles(first.mountPoint())).isNotEmpty();
    long recalls = RdioClientContext.counters().recalls.sum();

    directories.use(added);
    await("what is pinned on it is given back")
        .atMost(PATIENCE)
        .until(() -> Maps.pinFiles(first.mountPoint()).isEmpty());
    assertThat(RdioClientContext.counters().recalls.sum()).isGreaterThan(recalls);
    DataDirectories.unmount(first);
    readByRdioFrom(added);

    DataDirectories.mount(first);
    directories.use(first, added);
    Counts.awaitReadByRdio(rdio, onFirst, PATIENCE);
    assertThat(witnessNonce(onFirst))
        .as("a copy made before the swap must not pass for the volume after it")
        .isNotEqualTo(nonce);
    readByRdioFrom(first);
    readByRdioFrom(added);

    over.set(true);
    assertThat(reads.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isPositive();
  }

  /** A new file with one replica, on this volume, of which all is read by RDIO. */
  private SeededFile readByRdioFrom(LoopVolume volume) throws IOException {
    while (true) {
      int number = files.incrementAndGet();
      SeededFile file =
          new SeededFile(
              new org.apache.hadoop.fs.Path("/one-" + number), SeededFile.random(BLOCK, number));
      try (FSDataOutputStream out = stock.create(file.path(), (short) 1)) {
        out.write(file.bytes());
      }
      long block = Maps.blocks(stock, file.path()).get(0).getBlock().getBlockId();
      if (hasName(Maps.blockFiles(volume.mountPoint()), "blk_" + block)) {
        Counts.awaitReadByRdio(rdio, file, PATIENCE);
        assertThat(hasName(Maps.pinFiles(volume.mountPoint()), "BP-.*\\." + block + "\\..*"))
            .as("pinned on " + volume.device())
            .isTrue();
        return file;
      }
      assertThat(number).as("files written, none of them on " + volume.device()).isLessThan(100);
    }
  }

  private static boolean hasName(List<Path> files, String pattern) {
    return files.stream().anyMatch(file -> file.getFileName().toString().matches(pattern));
  }

  /** Positional reads, and the whole file by a new stream in turn; how many there were. */
  private int readUntil(AtomicBoolean over, SeededFile file) {
    Random random = new Random(7);
    int reads = 0;
    try {
      while (!over.get()) {
        try (FSDataInputStream in = rdio.open(file.path())) {
          for (int i = 0; i < 20; i++) {
            byte[] got = new byte[1 + random.nextInt(50_000)];
            int at = random.nextInt(file.bytes().length - got.length);
            in.readFully(at, got);
            file.check(at, got);
            reads++;
          }
          in.seek(0);
          file.check(0, in.readNBytes(file.bytes().length));
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return reads;
  }
}
