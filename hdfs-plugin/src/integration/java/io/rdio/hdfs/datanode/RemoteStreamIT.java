// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.datanode;

import static io.rdio.hdfs.datanode.InJvmHdfs.randomBytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rdio.core.FallbackReason;
import io.rdio.core.testing.LoopFileSystem;
import io.rdio.hdfs.RdioConfigKeys;
import io.rdio.hdfs.agent.JvmAgent;
import io.rdio.hdfs.client.RdioFileSystem;
import io.rdio.hdfs.client.write.WriteCounters;
import java.io.IOException;
import java.security.PrivilegedExceptionAction;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.security.AccessControlException;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Files that applications write by {@code RdioFileSystem}, and an agent to the very device. */
@Tag("loop")
final class RemoteStreamIT {
  private static final int BLOCK = 4 << 20;
  private static final int SMALL = 64 << 10;
  private static final byte[] BYTES = randomBytes(3 * BLOCK);
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  /** More than any test takes; eight of them may be too small for a block. */
  private static final int SLOTS = 16;

  private static final WriteCounters WRITES = WriteCounters.OF_THIS_JVM;

  @TempDir static java.nio.file.Path nameDirectory;
  private static LoopFileSystem volume;
  private static InJvmHdfs hdfs;
  private static JvmAgent agent;
  private static FileSystem rdio;
  private static int files;

  private Path path;
  private long bytesBefore;

  @BeforeAll
  static void start() throws Exception {
    Map<String, String> keys = RemoteWriteIT.writing();
    keys.put(RdioConfigKeys.DATANODE_WRITE_POOL_SIZE.name(), "120m");
    keys.put(RdioConfigKeys.DATANODE_WRITE_IO_TIME_MAX.name(), "1s");
    volume = LoopFileSystem.create("ext4", 900L << 20, List.of("-b", "4096"), "defaults");
    hdfs = new InJvmHdfs(volume, nameDirectory, keys);
    Configuration conf = writingConf();
    agent = JvmAgent.start(conf);
    rdio = FileSystem.newInstance(conf);
  }

  private static Configuration writingConf() {
    Configuration conf = hdfs.rdioConf();
    conf.set("fs.hdfs.impl", RdioFileSystem.class.getName());
    conf.set(RdioConfigKeys.CLIENT_WRITE.name(), "auto");
    conf.set(RdioConfigKeys.CLIENT_WRITE_SMALL.name(), Integer.toString(SMALL));
    conf.set("dfs.client.rdio.agent.write", "on");
    return conf;
  }

  /** Agents of one JVM and the same settings have one client, which is closed with the first. */
  private static Configuration confOfAnother() {
    Configuration conf = writingConf();
    conf.set(RdioConfigKeys.CLIENT_BUFFER_MEMORY_MAX.name(), "255m");
    return conf;
  }

  @AfterAll
  static void stop() throws Exception {
    rdio.close();
    agent.close();
    hdfs.close();
    volume.close();
  }

  /** The pool is filled while nobody waits for it. */
  @BeforeEach
  void awaitSlots() {
    path = new Path("/by-agent" + files++);
    bytesBefore = WRITES.bytes.sum();
    await()
        .atMost(PATIENCE)
        .ignoreExceptionsInstanceOf(IllegalStateException.class) // not there before its first
        .until(() -> ((Number) hdfs.metric("SlotsFree")).longValue() >= SLOTS);
  }

  private long writtenByAgent() {
    return WRITES.bytes.sum() - bytesBefore;
  }

  private void assertContent(int length) throws IOException {
    byte[] expected = Arrays.copyOf(BYTES, length);
    for (FileSystem fs : List.of(hdfs.fileSystem, rdio)) {
      try (FSDataInputStream in = fs.open(path)) {
        assertThat(Arrays.mismatch(in.readAllBytes(), expected)).isEqualTo(-1);
      }
    }
  }

  private long[] blockLengths() throws IOException {
    return hdfs
        .fileSystem
        .getClient()
        .getLocatedBlocks(path.toString(), 0)
        .getLocatedBlocks()
        .stream()
        .mapToLong(LocatedBlock::getBlockSize)
        .toArray();
  }

  @ParameterizedTest
  @ValueSource(
      ints = {SMALL, SMALL + 1, (1 << 20) + 511, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK + 4097})
  void fileIsAsAnyOther(int length) throws Exception {
    try (FSDataOutputStream out = rdio.create(path)) {
      out.write(BYTES, 0, length / 3);
      out.write(BYTES, length / 3, length - length / 3);
    }
    assertThat(writtenByAgent()).isEqualTo(length);
    assertContent(length);
    assertThat(hdfs.fsck()).contains("is HEALTHY");
    try (FSDataOutputStream out = rdio.append(path)) {
      out.write(BYTES, length, 1001);
    }
    assertContent(length + 1001);
  }

  @Test
  void flushedBytesAreSeenAndTheRestIsStocks() throws Exception {
    try (FSDataOutputStream out = rdio.create(path)) {
      out.write(BYTES, 0, BLOCK + 777);
      out.hflush();
      assertContent(BLOCK + 777);
      out.write(BYTES, BLOCK + 777, BLOCK);
      out.hsync();
      assertContent(2 * BLOCK + 777);
      out.write(BYTES, 2 * BLOCK + 777, 5);
    }
    assertContent(2 * BLOCK + 782);
    assertThat(writtenByAgent()).isEqualTo(BLOCK + 777);
    assertThat(blockLengths()).containsExactly(BLOCK, 777, BLOCK, 5);
  }

  @Test
  void restOfAFileIsStocksWhereTheAgentEndsBetweenTwoBlocks() throws Exception {
    Configuration conf = confOfAnother();
    JvmAgent own = JvmAgent.start(conf);
    try (FileSystem fs = FileSystem.newInstance(conf);
        FSDataOutputStream out = fs.create(path)) {
      out.write(BYTES, 0, BLOCK);
      await("the commit goes on behind that").atMost(PATIENCE).until(() -> writtenByAgent() > 0);
      own.close();
      out.write(BYTES, BLOCK, BLOCK + 1);
    }
    assertContent(2 * BLOCK + 1);
    assertThat(writtenByAgent()).isEqualTo(BLOCK);
  }

  @Test
  void fileIsLostBehindItsLastBlockWhereTheAgentEndsInMidBlock() throws Exception {
    Configuration conf = confOfAnother();
    JvmAgent own = JvmAgent.start(conf);
    try (FileSystem fs = FileSystem.newInstance(conf)) {
      FSDataOutputStream out = fs.create(path);
      out.write(BYTES, 0, BLOCK + (3 << 20));
      own.close();
      assertThatThrownBy(
              () -> {
                out.write(BYTES, 0, 1 << 20);
                out.close();
              })
          .isInstanceOf(IOException.class)
          .hasMessageContaining("is lost");
      assertThatThrownBy(out::close).isInstanceOf(IOException.class);
    }
    await().atMost(PATIENCE).until(() -> hdfs.fileSystem.recoverLease(path));
    assertContent(BLOCK);
    assertThat(hdfs.fsck()).contains("is HEALTHY");
  }

  @Test
  void blockThatNoSlotTakesIsStocks() throws Exception {
    long before = WRITES.fallbacks(FallbackReason.SLOTS_EXHAUSTED);
    try (FSDataOutputStream out = rdio.create(path, true, 4096, (short) 1, 128L << 20)) {
      out.write(BYTES, 0, 2 * BLOCK);
    }
    assertContent(2 * BLOCK);
    assertThat(writtenByAgent()).isZero();
    assertThat(WRITES.fallbacks(FallbackReason.SLOTS_EXHAUSTED)).isEqualTo(before + 1);
    await("others are written again").atMost(PATIENCE).until(this::isWrittenByAgent);
  }

  private boolean isWrittenByAgent() throws IOException {
    try (FSDataOutputStream out = rdio.create(path)) {
      out.write(BYTES, 0, SMALL);
    }
    return writtenByAgent() > 0;
  }

  @Test
  void anyUserWritesWhatHeMay() throws Exception {
    Path home = new Path("/home-of-alice");
    hdfs.fileSystem.mkdirs(home);
    hdfs.fileSystem.setOwner(home, "alice", "users");
    hdfs.fileSystem.setPermission(new Path("/"), new FsPermission((short) 0755));
    path = new Path(home, "file");
    UserGroupInformation alice =
        UserGroupInformation.createUserForTesting("alice", new String[] {"users"});
    alice.doAs(
        (PrivilegedExceptionAction<Void>)
            () -> {
              try (FileSystem fs = FileSystem.newInstance(rdio.getConf())) {
                try (FSDataOutputStream out = fs.create(path)) {
                  out.write(BYTES, 0, BLOCK + 1);
                }
                assertThatThrownBy(() -> fs.create(new Path("/not-hers")))
                    .isInstanceOf(AccessControlException.class);
              }
              return null;
            });
    assertContent(BLOCK + 1);
    assertThat(writtenByAgent()).isEqualTo(BLOCK + 1);
    assertThat(hdfs.fileSystem.getFileStatus(path).getOwner()).isEqualTo("alice");
  }

  @Test
  void recoveryOfAnOpenFileKeepsWhatWasCommitted() throws Exception {
    FSDataOutputStream out = rdio.create(path);
    out.write(BYTES, 0, BLOCK + (3 << 20));
    await().atMost(PATIENCE).until(() -> hdfs.fileSystem.recoverLease(path));

    assertContent(BLOCK);
    assertThatThrownBy(out::close).isInstanceOf(IOException.class);
    assertContent(BLOCK);
    assertThat(hdfs.fsck()).contains("is HEALTHY");
  }
}
