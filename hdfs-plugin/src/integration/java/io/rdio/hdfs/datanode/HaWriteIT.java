// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.datanode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rdio.core.testing.LoopFileSystem;
import io.rdio.core.testing.Requirements;
import io.rdio.datanode.allocate.WriteFaultInjector;
import io.rdio.hdfs.RdioConfigKeys;
import io.rdio.hdfs.agent.JvmAgent;
import io.rdio.hdfs.client.RdioFileSystem;
import io.rdio.hdfs.client.write.WriteCounters;
import io.rdio.hdfs.it.Counts;
import io.rdio.hdfs.it.Maps;
import io.rdio.hdfs.it.ReadMode;
import io.rdio.hdfs.it.SeededFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.client.HdfsClientConfigKeys;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Writers by the agent, in a nameservice whose active NameNode fails, or gives its place to the
 * other one, between any two messages of a write: it goes on, all of it by the agent, and both
 * NameNodes know all of its blocks. With block tokens, which each NameNode makes by its own keys.
 */
@Tag("loop")
final class HaWriteIT {
  private static final int BLOCK = 1 << 20;

  /** Two full blocks, and one whose bytes are kept until the file is closed. */
  private static final int LENGTH = 2 * BLOCK + 300_777;

  private static final int SMALL = 64 << 10;
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  /** More than any test takes. */
  private static final int SLOTS = 8;

  private static final boolean ALL = Boolean.getBoolean("rdio.test.all");
  private static final WriteCounters WRITES = WriteCounters.OF_THIS_JVM;

  @TempDir static java.nio.file.Path nameDirectory;
  private static LoopFileSystem volume;
  private static HaHdfs hdfs;
  private static JvmAgent agent;
  private static DistributedFileSystem stock;
  private static DistributedFileSystem rdio;

  /** When it happens, in the write of a file whose first block is committed. */
  private enum Moment {
    /** The client has nothing under way. */
    BETWEEN_TWO_BLOCKS,

    /** The NameNode has added the second block, and the client does not hear of it. */
    BEFORE_ADD_BLOCK_IS_ANSWERED,

    /** The client has the second block, and the agent does not know yet whom it is for. */
    BEFORE_ALLOCATE,

    /** The second block is on the device, in the slot that was allocated for it. */
    BEFORE_COMMIT,

    /** The DataNode has finalized the second block, and told nobody. */
    BEFORE_REPORT,

    /** The last block is committed, and the client is about to complete the file. */
    BEFORE_COMPLETE,

    /** The NameNode has completed the file, and the client does not hear of it. */
    BEFORE_COMPLETE_IS_ANSWERED
  }

  /** What happens to the active NameNode. */
  private enum Way {
    HAND_OVER,
    CRASH
  }

  /** A NameNode takes seconds to be there again. */
  static List<Arguments> failovers() {
    List<Arguments> all = new ArrayList<>();
    for (Moment moment : Moment.values()) {
      all.add(Arguments.of(moment, Way.HAND_OVER));
      if (ALL || moment == Moment.BEFORE_ADD_BLOCK_IS_ANSWERED || moment == Moment.BEFORE_COMMIT) {
        all.add(Arguments.of(moment, Way.CRASH));
      }
    }
    return all;
  }

  @BeforeAll
  static void start() throws IOException {
    Requirements.requireLoop("ext4");
    Map<String, String> keys = RemoteWriteIT.writing();
    keys.put("dfs.blocksize", Integer.toString(BLOCK));
    keys.put(RdioConfigKeys.DATANODE_WRITE_POOL_SIZE.name(), "64m");
    keys.put(RdioConfigKeys.DATANODE_WRITE_IO_TIME_MAX.name(), "1s");
    volume = RemoteWriteIT.volume("ext4");
    hdfs = new HaHdfs(volume, nameDirectory, keys);
    stock = HaHdfs.open(hdfs.stockConf());
    Configuration conf = writingConf();
    agent = JvmAgent.start(conf);
    conf.set(
        HdfsClientConfigKeys.Failover.PROXY_PROVIDER_KEY_PREFIX + "." + HaHdfs.SERVICE,
        FailoverAtCall.class.getName());
    rdio = HaHdfs.open(conf);
  }

  /** Of a client that asks soon again, for as long as it takes. */
  private static Configuration writingConf() {
    Configuration conf = hdfs.rdioConf();
    conf.set("fs.hdfs.impl", RdioFileSystem.class.getName());
    conf.set(RdioConfigKeys.CLIENT_WRITE.name(), "auto");
    conf.set(RdioConfigKeys.CLIENT_WRITE_SMALL.name(), Integer.toString(SMALL));
    conf.set(RdioConfigKeys.CLIENT_AGENT_WRITE.name(), "on");
    conf.setInt(HdfsClientConfigKeys.Failover.MAX_ATTEMPTS_KEY, 1000);
    conf.setInt(HdfsClientConfigKeys.Failover.SLEEPTIME_BASE_KEY, 20);
    conf.setInt(HdfsClientConfigKeys.Failover.SLEEPTIME_MAX_KEY, 200);
    conf.setInt(HdfsClientConfigKeys.BlockWrite.LOCATEFOLLOWINGBLOCK_INITIAL_DELAY_MS_KEY, 20);
    conf.setInt(HdfsClientConfigKeys.BlockWrite.LOCATEFOLLOWINGBLOCK_RETRIES_KEY, 12);
    return conf;
  }

  @AfterAll
  static void stop() throws Exception {
    for (AutoCloseable each : Arrays.asList(rdio, agent, stock, hdfs, volume)) {
      if (each != null) {
        each.close();
      }
    }
  }

  @BeforeEach
  void awaitSlots() {
    await().atMost(PATIENCE).until(() -> slots("pool") >= SLOTS);
  }

  @AfterEach
  void repair() throws IOException {
    FailoverAtCall.never();
    WriteFaultInjector.set(new WriteFaultInjector());
    hdfs.repair();
  }

  private static int slots(String folder) throws IOException {
    return Maps.files(volume.mountPoint().resolve("data/rdio/slots").resolve(folder)).size();
  }

  @ParameterizedTest
  @MethodSource("failovers")
  void writeGoesOn(Moment moment, Way way) throws Exception {
    SeededFile file =
        new SeededFile(
            new Path("/" + moment + "-" + way),
            SeededFile.random(LENGTH, moment.name().hashCode()));
    AtomicInteger failovers = new AtomicInteger();
    long before = WRITES.bytes.sum();
    try (FSDataOutputStream out = rdio.create(file.path())) {
      out.write(file.bytes(), 0, BLOCK);
      await("the commit goes on behind that")
          .atMost(PATIENCE)
          .until(() -> WRITES.bytes.sum() - before == BLOCK);
      at(
          moment,
          () -> {
            if (way == Way.CRASH) {
              hdfs.crash();
            } else {
              hdfs.handOver();
            }
            failovers.incrementAndGet();
          });
      out.write(file.bytes(), BLOCK, LENGTH - BLOCK);
    }
    assertThat(failovers).hasValue(1);
    assertThat(WRITES.bytes.sum() - before).as("bytes by the agent").isEqualTo(LENGTH);
    assertIsWhole(file);
    if (way == Way.CRASH) {
      hdfs.restart();
    }
    hdfs.handOver(); // to the one that was active when the write began
    assertIsWhole(file);
    assertNothingIsLeft();
  }

  private static void at(Moment moment, FailoverAtCall.Failover failover) throws IOException {
    switch (moment) {
      case BETWEEN_TWO_BLOCKS -> failover.happen();
      case BEFORE_ADD_BLOCK_IS_ANSWERED -> FailoverAtCall.insteadOfAnswer("addBlock", failover);
      case BEFORE_ALLOCATE -> FailoverAtCall.beforeAnswer("addBlock", failover);
      case BEFORE_COMMIT -> atStep("beforeHold", failover);
      case BEFORE_REPORT -> atStep("beforeAnswer", failover);
      case BEFORE_COMPLETE -> FailoverAtCall.before("complete", failover);
      case BEFORE_COMPLETE_IS_ANSWERED -> FailoverAtCall.insteadOfAnswer("complete", failover);
    }
  }

  /** While the DataNode commits a block, and before it goes on with that. */
  private static void atStep(String step, FailoverAtCall.Failover failover) {
    WriteFaultInjector.set(
        new WriteStep(
            step,
            () -> {
              try {
                failover.happen();
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            }));
  }

  /** To the NameNode that is active now. */
  private static void assertIsWhole(SeededFile file) throws IOException {
    await("the DataNode has told this NameNode of " + file.path())
        .atMost(PATIENCE)
        .until(
            () ->
                Maps.blocks(stock, file.path()).stream()
                    .allMatch(block -> block.getLocations().length == 1));
    byte[] all = read(file.path());
    assertThat(all.length).isEqualTo(file.bytes().length);
    file.check(0, all);
    Counts.awaitRead(ReadMode.BY_AGENT, rdio, file, PATIENCE);
  }

  private static byte[] read(Path path) throws IOException {
    try (FSDataInputStream in = stock.open(path)) {
      return in.readAllBytes();
    }
  }

  private static void assertNothingIsLeft() throws Exception {
    await("all slots come back").atMost(PATIENCE).until(() -> slots("leased") == 0);
    assertThat(hdfs.fsck()).contains("is HEALTHY");
  }

  /** Nobody is active for longer than the clients try. */
  @Test
  void closeThatNoNameNodeHearsOfFailsAndRecoveryKeepsWhatWasPromised() throws Exception {
    Configuration impatient = new Configuration(rdio.getConf());
    impatient.setInt(HdfsClientConfigKeys.Failover.MAX_ATTEMPTS_KEY, 3);
    SeededFile open = new SeededFile(new Path("/open"), SeededFile.random(LENGTH + BLOCK / 2, 7));
    SeededFile flushed = new SeededFile(new Path("/flushed"), SeededFile.random(BLOCK, 8));
    int promised = BLOCK / 2 + 777;
    long before = WRITES.bytes.sum();
    try (FileSystem writer = HaHdfs.open(impatient)) {
      FSDataOutputStream toOpen = writer.create(open.path());
      toOpen.write(open.bytes()); // its third block is begun
      FSDataOutputStream toFlushed = writer.create(flushed.path());
      toFlushed.write(flushed.bytes(), 0, promised);
      toFlushed.hsync();
      assertThat(WRITES.bytes.sum() - before).isEqualTo(2 * BLOCK + promised);
      toFlushed.write(flushed.bytes(), promised, 1000);

      hdfs.resign();
      assertThatThrownBy(toOpen::close).isInstanceOf(IOException.class);
      assertThatThrownBy(toFlushed::close).isInstanceOf(IOException.class);
      hdfs.takeOver();
      // The last block is whole, or not there: nobody was told that the file is closed.
      assertThat(recovered(open)).isIn(2 * BLOCK, open.bytes().length);
      assertThat(recovered(flushed)).isBetween(promised, promised + 1000);
    }
    assertNothingIsLeft();
  }

  /**
   * How long the file is behind its recovery, of whose bytes none is another one.
   *
   * @param written what was written to it
   */
  private static int recovered(SeededFile written) throws IOException {
    await().atMost(PATIENCE).until(() -> stock.recoverLease(written.path()));
    int length = Math.toIntExact(stock.getFileStatus(written.path()).getLen());
    assertIsWhole(new SeededFile(written.path(), Arrays.copyOf(written.bytes(), length)));
    return length;
  }
}
