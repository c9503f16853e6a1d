// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.datanode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rdio.core.FallbackReason;
import io.rdio.core.testing.LoopFileSystem;
import io.rdio.core.testing.Resources;
import io.rdio.hdfs.RdioConfigKeys;
import io.rdio.hdfs.agent.JvmAgent;
import io.rdio.hdfs.client.RdioFileSystem;
import io.rdio.hdfs.client.write.WriteCounters;
import io.rdio.hdfs.it.FreeSpace;
import io.rdio.hdfs.it.Maps;
import io.rdio.hdfs.it.SeededFile;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A pool, or a whole volume, without space for the next block of a file that the agent writes: what
 * is committed stays, the rest is stock HDFS's, or fails as stock HDFS does, and no other file
 * changes.
 */
@Tag("loop")
final class ShortOfSpaceIT {
  private static final int BLOCK = 4 << 20;

  /** With a last block that is not full. */
  private static final int LENGTH = 3 * BLOCK + 12_345;

  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final WriteCounters WRITES = WriteCounters.OF_THIS_JVM;

  @TempDir Path nameDirectory;
  private final SeededFile file =
      new SeededFile(new org.apache.hadoop.fs.Path("/file"), SeededFile.random(LENGTH, 11));
  private LoopFileSystem volume;
  private InJvmHdfs hdfs;
  private JvmAgent agent;
  private FileSystem rdio;

  /** When other files take all of a volume's space. */
  private enum Moment {
    /** The first block is committed, and the agent has no other one. */
    BETWEEN_TWO_BLOCKS,

    /** The agent writes the second block to its slot. */
    WITHIN_A_BLOCK
  }

  /**
   * Starts it all.
   *
   * @param pool its size
   * @param slots that it has of a block's size then, beside small ones
   */
  private void start(String pool, int slots) throws IOException {
    volume = LoopFileSystem.create("ext4", 200L << 20, List.of("-b", "4096"), "defaults");
    Map<String, String> keys = RemoteWriteIT.writing();
    keys.put(RdioConfigKeys.DATANODE_WRITE_POOL_SIZE.name(), pool);
    keys.put(RdioConfigKeys.DATANODE_WRITE_IO_TIME_MAX.name(), "1s");
    hdfs = new InJvmHdfs(volume, nameDirectory, keys);
    await().atMost(PATIENCE).until(() -> slots("pool/" + BLOCK) >= slots);
    Configuration conf = hdfs.rdioConf();
    conf.set("fs.hdfs.impl", RdioFileSystem.class.getName());
    conf.set(RdioConfigKeys.CLIENT_WRITE.name(), "auto");
    conf.set(RdioConfigKeys.CLIENT_AGENT_WRITE.name(), "on");
    conf.set(RdioConfigKeys.CLIENT_RPC_TIMEOUT.name(), "20s");
    conf.set(RdioConfigKeys.CLIENT_DATANODE_BACKOFF.name(), "500ms");
    agent = JvmAgent.start(conf);
    rdio = FileSystem.newInstance(conf);
  }

  private int slots(String folder) throws IOException {
    return Maps.files(volume.mountPoint().resolve("data/rdio/slots").resolve(folder)).size();
  }

  @AfterEach
  void close() throws Exception {
    Resources.close(rdio, agent, hdfs, volume);
  }

  /** How many files went to stock HDFS, or lost a block, each for a reason that was told. */
  private static long told() {
    long told = WRITES.lostBlocks.sum();
    for (FallbackReason reason : FallbackReason.values()) {
      told += WRITES.fallbacks(reason);
    }
    return told;
  }

  private byte[] read() throws IOException {
    try (FSDataInputStream in = hdfs.fileSystem.open(file.path())) {
      return in.readAllBytes();
    }
  }

  @Test
  void poolWithoutASlotForTheNextBlockLeavesTheRestToStock() throws Exception {
    start("8m", 1);
    long bytes = WRITES.bytes.sum();
    long refused = WRITES.fallbacks(FallbackReason.SLOTS_EXHAUSTED);

    try (FSDataOutputStream out = rdio.create(file.path())) {
      out.write(file.bytes());
    }

    assertThat(WRITES.fallbacks(FallbackReason.SLOTS_EXHAUSTED)).isEqualTo(refused + 1);
    assertThat(WRITES.bytes.sum() - bytes)
        .as("bytes by the agent")
        .isBetween((long) BLOCK, 2L * BLOCK); // a slot may just have been made on a slow machine
    byte[] found = read();
    assertThat(found.length).isEqualTo(LENGTH);
    file.check(0, found);
    assertNothingIsLeft();
  }

  @ParameterizedTest
  @EnumSource(Moment.class)
  void volumeWithoutSpaceLosesNothingThatIsCommitted(Moment moment) throws Exception {
    start("20m", 4);
    long bytes = WRITES.bytes.sum();
    long told = told();
    FreeSpace space = new FreeSpace(volume.mountPoint());
    FSDataOutputStream out = rdio.create(file.path());
    int first = moment == Moment.WITHIN_A_BLOCK ? BLOCK + 3 * BLOCK / 4 : BLOCK;
    out.write(file.bytes(), 0, first);
    await("the commit goes on behind that")
        .atMost(PATIENCE)
        .until(() -> WRITES.bytes.sum() - bytes == BLOCK);
    boolean isClosed;
    try {
      space.fill();
      isClosed = isClosedBehind(out, first);
      assertThat(space.isIntact()).isTrue();
    } finally {
      space.empty();
    }
    if (isClosed && WRITES.bytes.sum() - bytes < LENGTH) { // what failed has said why
      assertThat(told()).as("why it was not the agent alone").isGreaterThan(told);
    }
    await().atMost(PATIENCE).until(() -> hdfs.fileSystem.recoverLease(file.path()));
    byte[] found = read();
    assertThat(found.length).isBetween(isClosed ? LENGTH : BLOCK, LENGTH);
    file.check(0, found);
    assertNothingIsLeft();
    await("others are written by the agent again")
        .atMost(PATIENCE)
        .pollInterval(Duration.ofSeconds(1)) // the space of the file before is not free at once
        .ignoreExceptionsInstanceOf(IOException.class) // nor does the NameNode know of it at once
        .until(this::isByAgent);
  }

  /** Writes the rest; false if that fails. */
  private boolean isClosedBehind(FSDataOutputStream out, int first) {
    try (out) {
      out.write(file.bytes(), first, LENGTH - first);
    } catch (IOException | IllegalArgumentException e) {
      // The latter from Hadoop's output stream, whose close() throws what its write() threw.
      return false;
    }
    return true;
  }

  private boolean isByAgent() throws IOException {
    long before = WRITES.bytes.sum();
    SeededFile.write(rdio, "/next", BLOCK, 12);
    return WRITES.bytes.sum() > before;
  }

  private void assertNothingIsLeft() throws Exception {
    await("all slots come back").atMost(PATIENCE).until(() -> slots("leased") == 0);
    assertThat(hdfs.fsck()).contains("is HEALTHY");
  }
}
