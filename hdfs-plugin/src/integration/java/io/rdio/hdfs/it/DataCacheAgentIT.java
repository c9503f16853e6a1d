// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.it;

import static io.rdio.core.testing.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.testing.Requirements;
import io.rdio.hdfs.RdioConfigKeys;
import io.rdio.hdfs.client.direct.RdioClientContext;
import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.cluster.LoopVolume.Backing;
import io.rdio.hdfs.cluster.ProcessEnd;
import io.rdio.hdfs.cluster.Shell;
import io.rdio.hdfs.cluster.TestClusters;
import io.rdio.nativeio.BpfLibrary;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What a client's block data cache evicts, told to the storage node: the DataNode's volume is on a
 * loop device whose image is in this host's page cache, driven by {@code rdio prefcache}.
 */
@Tag("loop")
class DataCacheAgentIT {
  private static final int BLOCK = 4 << 20;
  private static final int CHUNK = 64 << 10;
  private static final int CACHED_CHUNKS = 16;
  private static final int CHUNKS = 128;
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private static Cluster cluster;
  private static FileSystem stock;
  private static SeededFile file;
  private static int prefcaches;

  @BeforeAll
  static void start() throws IOException {
    Requirements.requireLoop("ext4");
    Requirements.require(
        BpfLibrary.availability().isAvailable(), BpfLibrary.availability().detail());
    FileStore temporary = Files.getFileStore(Path.of(System.getProperty("java.io.tmpdir")));
    Requirements.require(
        !temporary.type().equals("tmpfs"), "temporary files are in memory, not on a disk");
    cluster =
        TestClusters.builder()
            .backing(Backing.DISK)
            .volumeBytes(256L << 20)
            .set("dfs.blocksize", Integer.toString(BLOCK))
            // A loaded machine is not what is tested here.
            .set(RdioConfigKeys.CLIENT_RPC_TIMEOUT.name(), "20s")
            .start();
    stock = cluster.fileSystem(false);
    file = SeededFile.write(stock, "/large", CHUNKS * CHUNK, 1);
    Shell.run("losetup", "--direct-io=off", cluster.volume(0).device());
    Shell.run("sync", "-f", cluster.volume(0).mountPoint().toString());
    forget();
  }

  @AfterAll
  static void stop() throws IOException {
    if (cluster != null) {
      stock.close();
      cluster.close();
    }
  }

  private static String image() throws IOException {
    return Shell.run("losetup", "-nO", "BACK-FILE", cluster.volume(0).device());
  }

  /** Lets go of all that is in the storage node's memory. */
  private static void forget() throws IOException {
    Shell.run("dd", "of=" + image(), "oflag=nocache", "conv=notrunc,fdatasync", "count=0");
  }

  /** {@code rdio prefcache} in a process of its own. */
  private static final class Storage implements AutoCloseable {
    private static final Pattern PORT = Pattern.compile("listens on port (\\d+)");

    private final Process process;
    private final Path log;
    final int port;

    private Storage(Process process, Path log) {
      this.process = process;
      this.log = log;
      this.port =
          await()
              .atMost(PATIENCE)
              .until(
                  () ->
                      PORT.matcher(Files.readString(log))
                          .results()
                          .map(said -> Integer.parseInt(said.group(1)))
                          .findFirst(),
                  Optional::isPresent)
              .orElseThrow();
    }

    static Storage start(int port) throws IOException {
      Path log = cluster.folder().resolve("prefcache" + prefcaches++ + ".log");
      Process process =
          cluster
              .jvm(
                  cluster.confFolder(false),
                  List.of("-Xmx256m"),
                  "io.rdio.hdfs.cli.Rdio",
                  "prefcache",
                  "--listen",
                  "127.0.0.1:" + port,
                  "--device",
                  cluster.volume(0).device(),
                  "--capacity",
                  "64m",
                  "--report-every",
                  "1")
              .redirectErrorStream(true)
              .redirectOutput(log.toFile())
              .start();
      cluster.killLater(process);
      return new Storage(process, log);
    }

    /** What it said last of a count. */
    long count(String name) throws IOException {
      Matcher said = Pattern.compile(" " + name + "=(-?\\d+)").matcher(Files.readString(log));
      long last = 0;
      while (said.find()) {
        last = Long.parseLong(said.group(1));
      }
      return last;
    }

    void awaitCount(String name, long least) {
      await()
          .atMost(PATIENCE)
          .untilAsserted(
              () ->
                  assertThat(count(name)).as("%s: %s", name, said()).isGreaterThanOrEqualTo(least));
    }

    /** All that both sides counted, for whoever must find out where bytes went. */
    private String said() throws IOException {
      List<String> reports = Files.readAllLines(log);
      return "the storage node says '%s', the client %s"
          .formatted(reports.isEmpty() ? "" : reports.get(reports.size() - 1), agentMetrics());
    }

    @Override
    public void close() {
      ProcessEnd.kill(process);
    }
  }

  private static FileSystem open(int port) throws IOException {
    Configuration conf = cluster.clientConf(true);
    conf.set(RdioConfigKeys.CLIENT_DATA_CACHE.name(), Integer.toString(CACHED_CHUNKS * CHUNK));
    conf.set(RdioConfigKeys.CLIENT_DATA_CACHE_STORAGE_AGENTS.name(), "127.0.0.1:" + port);
    return FileSystem.newInstance(conf);
  }

  private static void close(FileSystem rdio) throws IOException {
    rdio.close();
    RdioClientContext.get(rdio.getConf()).close();
    await()
        .until(
            () ->
                Thread.getAllStackTraces().keySet().stream()
                    .noneMatch(thread -> thread.getName().equals("rdio-evictions")));
  }

  /**
   * Wants a page of each chunk twice, so that each is cached and makes another one go; how much.
   */
  private static long evict(FSDataInputStream in, int from, int to) throws IOException {
    long before = metric("DataCacheEvictions");
    for (int i = from; i < to; i++) {
      check(in, i * CHUNK, 4096);
      check(in, i * CHUNK, 4096);
    }
    return (metric("DataCacheEvictions") - before) * CHUNK;
  }

  private static void check(FSDataInputStream in, int offset, int length) throws IOException {
    byte[] got = new byte[length];
    in.readFully(offset, got);
    file.check(offset, got);
  }

  private static void awaitStream(FSDataInputStream in, long before) throws IOException {
    in.readFully(0, new byte[1]);
    await().atMost(PATIENCE).until(() -> metric("StorageAgentStreams") > before);
  }

  private static long metric(String name) {
    return RdioClientContext.dump().get(name);
  }

  private static Map<String, Long> agentMetrics() {
    Map<String, Long> agent = new TreeMap<>(RdioClientContext.dump());
    agent.keySet().removeIf(name -> !name.startsWith("StorageAgent"));
    return agent;
  }

  @Test
  void evictedChunksAreInTheStorageNodesMemoryWhenTheyAreWantedBack() throws Exception {
    Counts counts = Counts.now();
    long streams = metric("StorageAgentStreams");
    long told = metric("StorageAgentEvictedBytes");
    forget();
    try (Storage storage = Storage.start(0)) {
      FileSystem rdio = open(storage.port);
      try (FSDataInputStream in = rdio.open(file.path())) {
        awaitStream(in, streams);
        long evicted = evict(in, 0, CHUNKS);
        counts.assertNoFallback();
        assertThat(evicted).isGreaterThanOrEqualTo((long) (CHUNKS - CACHED_CHUNKS) * CHUNK);
        assertThat(metric("StorageAgentEvictedBytes") - told).isEqualTo(evicted);
        storage.awaitCount("prefetched_bytes", evicted);
        storage.awaitCount("resident_bytes", evicted);
        // Each was read before it was evicted: that wanted nothing back.
        assertThat(storage.count("late_bytes")).as("%s", storage.said()).isZero();
        assertThat(storage.count("hit_bytes")).as("%s", storage.said()).isZero();
        CachedPages pages = CachedPages.of(Path.of(image()));
        // What the kernel reclaims without need is for nobody to promise.
        assertThat(pages.inMemory() + pages.reclaimed())
            .as("%s: %s", pages, storage.said())
            .isGreaterThanOrEqualTo(evicted);

        long hits = storage.count("hit_bytes");
        int half = CHUNKS / 2;
        for (int i = 0; i < half; i++) {
          check(in, i * CHUNK, CHUNK);
        }

        storage.awaitCount("hit_bytes", hits + (long) half * CHUNK);
        await()
            .atMost(PATIENCE)
            .until(() -> storage.count("resident_bytes") <= evicted - (long) half * CHUNK);
      } finally {
        close(rdio);
      }
    }
    counts.assertNoFallback();
  }

  @Test
  void agentThatEndsAndComesBackIsToldWhatWasEvictedMeanwhile() throws Exception {
    Counts counts = Counts.now();
    long streams = metric("StorageAgentStreams");
    Storage first = Storage.start(0);
    FileSystem rdio = open(first.port);
    try (FSDataInputStream in = rdio.open(file.path())) {
      awaitStream(in, streams);
      long broken = metric("StorageAgentBrokenStreams");
      first.close();
      await().atMost(PATIENCE).until(() -> metric("StorageAgentBrokenStreams") > broken);

      long evicted = evict(in, 0, CHUNKS);

      assertThat(evicted).isPositive();
      try (Storage second = Storage.start(first.port)) {
        second.awaitCount("prefetched_bytes", evicted);
      }
      assertThat(metric("StorageAgentLostBlocks")).isZero();
    } finally {
      close(rdio);
      first.close();
    }
    counts.assertNoFallback();
  }

  @Test
  void agentThatIsNeverThereDoesNotConcernReaders() throws Exception {
    Counts counts = Counts.now();
    long broken = metric("StorageAgentBrokenStreams");
    long told = metric("StorageAgentEvictedBytes");
    FileSystem rdio = open(1);
    try (FSDataInputStream in = rdio.open(file.path())) {
      assertThat(evict(in, 0, CHUNKS)).isPositive();
      await().atMost(PATIENCE).until(() -> metric("StorageAgentBrokenStreams") > broken);
      assertThat(evict(in, 0, CHUNKS)).isPositive();
    } finally {
      close(rdio);
    }
    assertThat(metric("StorageAgentEvictedBytes")).as("no device is known").isEqualTo(told);
    counts.assertNoFallback();
  }
}
