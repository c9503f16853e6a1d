// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.it;

import static io.rdio.hdfs.cluster.Shape.PLAIN_EXT4;
import static io.rdio.hdfs.cluster.Shape.SHORT_EXT4;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rdio.client.datacache.flash.FlashTier;
import io.rdio.hdfs.RdioConfigKeys;
import io.rdio.hdfs.agent.AgentProcess;
import io.rdio.hdfs.client.direct.RdioClientContext;
import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.cluster.LoopVolume;
import io.rdio.hdfs.cluster.LoopVolume.Backing;
import io.rdio.hdfs.cluster.SharedClusters;
import io.rdio.hdfs.cluster.Shares;
import io.rdio.hdfs.cluster.Shell;
import java.io.IOException;
import java.io.OutputStream;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.log4j.Appender;
import org.apache.log4j.Logger;
import org.apache.log4j.SimpleLayout;
import org.apache.log4j.WriterAppender;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Positional reads through HDFS with a flash tier behind the block data cache, on a file system of
 * the client's own: of the process that reads, and of an agent.
 */
@Tag("loop")
@Shares({PLAIN_EXT4, SHORT_EXT4})
class FlashTierIT {
  private static final int BLOCK = 4 << 20;
  private static final int CHUNK = 64 << 10;
  private static final int MEMORY = 16 * CHUNK;
  private static final long FLASH = FlashTier.MIN_BYTES;
  private static final long SSD_BYTES = 96L << 20;
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private static Cluster cluster;
  private static DistributedFileSystem stock;
  private static LoopVolume ssd;

  @BeforeAll
  static void start(SharedClusters clusters) throws IOException {
    cluster = clusters.of(PLAIN_EXT4);
    stock = stock(cluster);
    ssd = LoopVolume.create("ext4", SSD_BYTES, Backing.TMPFS);
  }

  private static DistributedFileSystem stock(Cluster of) throws IOException {
    Configuration conf = of.clientConf(false);
    conf.setInt("dfs.blocksize", BLOCK);
    return (DistributedFileSystem) FileSystem.newInstance(conf);
  }

  @AfterAll
  static void stop() throws IOException {
    if (ssd != null) {
      ssd.close();
    }
    if (stock != null) {
      stock.close();
    }
  }

  private static Map<String, String> keys(Path tier) {
    return Map.of(
        RdioConfigKeys.CLIENT_DATA_CACHE.name(),
        Integer.toString(MEMORY),
        RdioConfigKeys.CLIENT_DATA_CACHE_FLASH_PATH.name(),
        tier.toString(),
        RdioConfigKeys.CLIENT_DATA_CACHE_FLASH_SIZE.name(),
        Long.toString(FLASH));
  }

  private static RdioClient open(ReadMode mode, Path tier) throws IOException {
    List<String> all = new ArrayList<>();
    keys(tier).forEach((key, value) -> all.addAll(List.of(key, value)));
    return RdioClient.of(cluster, mode, all.toArray(String[]::new));
  }

  @ParameterizedTest
  @EnumSource(ReadMode.class)
  void whatMemoryDoesNotHoldComesFromTheFileUntilTheHolderEnds(ReadMode mode) throws IOException {
    SeededFile file = SeededFile.write(stock, "/large-" + mode, 2 * BLOCK, 1);
    Path tier = ssd.mountPoint().resolve("tier-" + mode);
    Counts counts = Counts.of(mode);
    try (RdioClient client = open(mode, tier)) {
      awaitFlash(client.fs(), file);
      assertThat(metric("DataCacheFlashBytes")).isBetween((long) CHUNK, FLASH);
      assertThat(metric("DataCacheBytesAllocated")).isLessThanOrEqualTo(MEMORY);
      assertThat(Files.size(tier)).isEqualTo(FLASH);
    }
    assertThat(Files.size(tier)).as("an orderly end empties it").isZero();

    try (RdioClient client = open(mode, tier)) {
      long hits = metric("DataCacheFlashHits");
      long device = metric("DeviceBytes");
      readAll(client.fs(), file);
      assertThat(metric("DataCacheFlashHits")).as("a start drops all").isEqualTo(hits);
      assertThat(metric("DeviceBytes") - device).isGreaterThanOrEqualTo(file.bytes().length);
      awaitFlash(client.fs(), file);
    }
    counts.assertNoFallback();
    assertThat(metric("DataCacheFlashBytes")).isZero();
  }

  @ParameterizedTest
  @MethodSource("io.rdio.hdfs.it.ReadMode#alike")
  void blockThatIsChangedOrDeletedIsNotServedFromIt(ReadMode mode) throws Exception {
    SeededFile file = SeededFile.write(stock, "/changing-" + mode, BLOCK, 2);
    long id = blockId(file);
    try (RdioClient client = open(mode, ssd.mountPoint().resolve("tier-" + mode))) {
      awaitFlash(client.fs(), file);

      SeededFile changed = rewriteHalf(file);
      assertThat(blockId(changed)).as("the same block, of another generation").isEqualTo(id);
      awaitDropped();
      awaitFlash(client.fs(), changed);

      stock.delete(file.path(), false);
      awaitDropped();
      SeededFile other = SeededFile.write(stock, file.path().toString(), BLOCK, 4);
      awaitFlash(client.fs(), other);
    }
  }

  private static long blockId(SeededFile file) throws IOException {
    return stock
        .getClient()
        .getLocatedBlocks(file.path().toString(), 0)
        .get(0)
        .getBlock()
        .getBlockId();
  }

  /** Cuts a file of one block in the middle of a chunk, and appends other bytes to its block. */
  private static SeededFile rewriteHalf(SeededFile file) throws IOException {
    int kept = BLOCK / 2 + CHUNK / 3;
    if (!stock.truncate(file.path(), kept)) {
      await().atMost(PATIENCE).until(() -> stock.isFileClosed(file.path()));
    }
    byte[] more = SeededFile.random(BLOCK - kept, 3);
    try (FSDataOutputStream out = stock.append(file.path())) {
      out.write(more);
    }
    byte[] all = file.bytes().clone();
    System.arraycopy(more, 0, all, kept, more.length);
    return new SeededFile(file.path(), all);
  }

  private static void awaitDropped() {
    await().atMost(PATIENCE).until(() -> metric("DataCacheFlashBytes") == 0);
  }

  /** A crash leaves the file as it is, full of blocks' bytes that nobody vouches for. */
  @Test
  void agentThatWasKilledStartsWithoutWhatTheFileHas(SharedClusters clusters) throws Exception {
    Cluster ofShortLeases = clusters.of(SHORT_EXT4);
    Path tier = ssd.mountPoint().resolve("tier-killed");
    try (FileSystem writer = stock(ofShortLeases);
        AgentProcess agent = AgentProcess.start(ofShortLeases, List.of(), keys(tier))) {
      SeededFile file = SeededFile.write(writer, "/large", 2 * BLOCK, 5);
      Configuration conf = ofShortLeases.clientConf(true);
      conf.set(RdioConfigKeys.CLIENT_AGENT_SOCKET.name(), agent.socket().toString());
      conf.set(RdioConfigKeys.CLIENT_AGENT.name(), "required");
      try (FileSystem rdio = FileSystem.newInstance(conf)) {
        awaitAgentsFlash(rdio, file, agent);
        agent.kill();
        assertThat(Files.size(tier)).isEqualTo(FLASH);

        agent.restart();
        assertThat(agent.log()).doesNotContain("has no flash tier");
        assertThat(agent.figure("data_cache_flash_bytes")).isZero();
        readAll(rdio, file);
        assertThat(agent.figure("data_cache_flash_hits_total")).isZero();
        awaitAgentsFlash(rdio, file, agent);
        assertThat(agent.figure("data_cache_flash_checksum_failures_total")).isZero();
        assertThat(agent.figure("mismatches_total")).isZero();
      } finally {
        agent.closeClients();
      }
    }
  }

  private static void awaitAgentsFlash(FileSystem rdio, SeededFile file, AgentProcess agent) {
    awaitFlash(
        rdio,
        file,
        () -> agent.figure("data_cache_flash_hits_total"),
        () -> agent.figure("data_cache_flash_written_bytes_total"));
  }

  @Test
  void fileThatCannotBeUsedIsSaidAndReadsGoOn() throws IOException {
    Path folder = ssd.mountPoint();
    Path foreign = Files.writeString(folder.resolve("notes"), "somebody's");
    Path missing = folder.resolve("missing").resolve("tier");
    SeededFile file = SeededFile.write(stock, "/small", 4 * CHUNK, 6);
    assertGoesWithout(file, foreign, "notes has something that is not of a flash tier");
    assertThat(foreign).hasContent("somebody's");
    assertGoesWithout(file, missing, "the folder of " + missing + " cannot be used");

    Path filler = folder.resolve("filler");
    Path late = folder.resolve("late");
    long free = folder.toFile().getUsableSpace();
    Shell.run("fallocate", "-l", Long.toString(free - FLASH / 2), filler.toString());
    assertGoesWithout(file, late, "late needs " + FLASH + " bytes more, and its file system has ");
    assertThat(!Files.exists(late) || Files.size(late) == 0).as("it takes no space").isTrue();
    Files.delete(filler);

    Shell.run("mount", "-o", "remount,ro", folder.toString());
    try {
      assertGoesWithout(file, folder.resolve("tier"), "Read-only file system");
    } finally {
      Shell.run("mount", "-o", "remount,rw", folder.toString());
    }
  }

  /** Of a client that has no flash tier for this file, and reads by RDIO with memory alone. */
  private static void assertGoesWithout(SeededFile file, Path tier, String why) throws IOException {
    Counts counts = Counts.now();
    long failures = metric("DataCacheFlashFailures");
    try (Log log = new Log();
        RdioClient client = open(ReadMode.DIRECT, tier)) {
      readAll(client.fs(), file);
      readAll(client.fs(), file);
      long hits = metric("DataCacheHits");
      readAll(client.fs(), file);
      assertThat(metric("DataCacheHits")).isGreaterThan(hits);
      assertThat(metric("DataCacheFlashFailures")).isEqualTo(failures + 1);
      assertThat(metric("DataCacheFlashBytes")).isZero();
      assertThat(log.toString())
          .contains("the block data cache has no flash tier, for its file cannot be used")
          .contains(why);
    }
    counts.assertNoFallback();
  }

  /** The space that the file system gave the file is not there when it is written. */
  @Test
  void deviceThatFailsSwitchesItOffAndReadsGoOn() throws IOException {
    SeededFile file = SeededFile.write(stock, "/failing", 2 * BLOCK, 7);
    Counts counts = Counts.now();
    long failures = metric("DataCacheFlashFailures");
    try (LoopVolume thin = LoopVolume.create("ext4", SSD_BYTES, Backing.TMPFS);
        Log log = new Log();
        RdioClient client = open(ReadMode.DIRECT, thin.mountPoint().resolve("tier"))) {
      readAll(client.fs(), file); // which opens the tier
      assertThat(metric("DataCacheFlashFailures")).isEqualTo(failures);
      fill(Objects.requireNonNull(thin.image().getParent()));
      await()
          .atMost(PATIENCE)
          .until(
              () -> {
                readAll(client.fs(), file);
                return metric("DataCacheFlashFailures") > failures;
              });
      assertThat(log.toString()).contains("is off until the next start, after an error with ");
      long hits = metric("DataCacheFlashHits");
      readAll(client.fs(), file);
      assertThat(metric("DataCacheFlashHits")).isEqualTo(hits);
      assertThat(metric("DataCacheFlashBytes")).isZero();
      assertThat(metric("DataCacheFlashFailures")).isEqualTo(failures + 1);
    }
    counts.assertNoFallback();
  }

  /** Takes all of a file system's space. */
  private static void fill(Path folder) throws IOException {
    byte[] zeros = new byte[4096]; // what is less is no page of an image
    Path filler = folder.resolve("filler");
    long written = 0;
    try (OutputStream out = Files.newOutputStream(filler)) {
      while (written < 2 * SSD_BYTES) {
        out.write(zeros);
        written += zeros.length;
      }
    } catch (IOException full) {
      // As it should be.
    }
    assertThat(written).as("its file system was to be full").isLessThan(2 * SSD_BYTES);
  }

  private static void awaitFlash(FileSystem rdio, SeededFile file) {
    awaitFlash(
        rdio, file, () -> metric("DataCacheFlashHits"), () -> metric("DataCacheFlashWrittenBytes"));
  }

  /**
   * Reads a file, each time with right bytes, until half of a read is of the flash tier, which has
   * written to its file.
   */
  private static void awaitFlash(
      FileSystem rdio, SeededFile file, Callable<Long> hits, Callable<Long> written) {
    long[] writtenBefore = new long[1];
    try {
      writtenBefore[0] = written.call();
    } catch (Exception e) {
      throw new AssertionError("no figure", e);
    }
    await()
        .atMost(PATIENCE)
        .pollDelay(Duration.ZERO)
        .until(
            () -> {
              long before = hits.call();
              readAll(rdio, file);
              return hits.call() - before >= file.bytes().length / CHUNK / 2
                  && written.call() > writtenBefore[0];
            });
  }

  /** By a new reader, chunk by chunk. */
  private static void readAll(FileSystem rdio, SeededFile file) throws IOException {
    byte[] got = new byte[CHUNK];
    try (FSDataInputStream in = rdio.open(file.path())) {
      for (int at = 0; at < file.bytes().length; at += CHUNK) {
        in.readFully(at, got);
        file.check(at, got);
      }
    }
  }

  private static long metric(String name) {
    return Objects.requireNonNull(RdioClientContext.dump().get(name), name);
  }

  /** What the data cache and its tier log in this JVM. */
  private static final class Log implements AutoCloseable {
    private final StringWriter text = new StringWriter();
    private final Appender appender = new WriterAppender(new SimpleLayout(), text);
    private final Logger logger = Logger.getLogger("io.rdio.client");

    Log() {
      logger.addAppender(appender);
    }

    @Override
    public String toString() {
      return text.toString();
    }

    @Override
    public void close() {
      logger.removeAppender(appender);
    }
  }
}
