// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.datanode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rdio.core.testing.Resources;
import io.rdio.datanode.allocate.WriteFaultInjector;
import io.rdio.hdfs.RdioConfigKeys;
import io.rdio.hdfs.agent.JvmAgent;
import io.rdio.hdfs.client.RdioFileSystem;
import io.rdio.hdfs.client.write.WriteCounters;
import io.rdio.hdfs.datanode.PromisedBlocks.Stage;
import io.rdio.hdfs.it.Maps;
import io.rdio.hdfs.it.SeededFile;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Files are written by an agent to a device with a volatile write cache, which loses its power
 * between any two I/Os of DataNode and agent: any sectors of what was not flushed are gone, those
 * that the agent wrote unless the agent itself has flushed. What was answered by then is there.
 *
 * <p>At which moments: see {@link PowerCuts}. Of slots that come back is {@code LostRecycleIT}.
 */
@Tag("loop")
final class LostCacheIT {
  private static final int BLOCK = 1 << 20;

  /** Two full blocks, and one whose bytes are kept until the file is closed. */
  private static final int CLOSED = 2 * BLOCK + 300_777;

  /** So much that its second block is begun. */
  private static final int OPEN = BLOCK + 3 * BLOCK / 4;

  private static final int SETTLED = 3;
  private static final int SLOTS = 16;
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final WriteCounters WRITES = WriteCounters.OF_THIS_JVM;

  @TempDir static java.nio.file.Path nameDirectory;
  private static LoggedVolume volume;
  private static InJvmHdfs hdfs;
  private static JvmAgent agent;
  private static DistributedFileSystem rdio;
  private static final PromisedBlocks PROMISED = new PromisedBlocks();
  private static final SeededFile CLOSED_FILE = file("/closed", CLOSED);
  private static final SeededFile OPEN_FILE = file("/open", OPEN);

  private final PowerCuts cuts = new PowerCuts(volume, PROMISED);

  private static SeededFile file(String name, int length) {
    return new SeededFile(new Path(name), SeededFile.random(length, name.hashCode()));
  }

  @BeforeAll
  static void write() throws Exception {
    volume = LoggedVolume.create();
    Map<String, String> keys = RemoteWriteIT.writing();
    keys.put("dfs.blocksize", Integer.toString(BLOCK));
    keys.put(RdioConfigKeys.DATANODE_WRITE_POOL_SIZE.name(), "20m");
    keys.put(RdioConfigKeys.DATANODE_WRITE_IO_TIME_MAX.name(), "10m"); // no hold link ends
    hdfs = new InJvmHdfs(volume.mountPoint(), nameDirectory, keys);
    Configuration conf = writingConf();
    agent = JvmAgent.start(conf);
    rdio = (DistributedFileSystem) FileSystem.newInstance(conf);
    writeOthers();
    awaitSlots();
    volume.beginLog();
    try {
      WriteFaultInjector.set(new StageMarks(volume.log(), Stage.COMMITTED));
      writeFiles();
    } finally {
      WriteFaultInjector.set(new WriteFaultInjector());
      volume.log().end();
    }
    noteBlocks(CLOSED_FILE, false);
    noteBlocks(OPEN_FILE, false);
    rdio.getClient().closeAllFilesBeingWritten(true);
  }

  private static Configuration writingConf() throws IOException {
    Configuration conf = hdfs.rdioConf();
    conf.set("fs.hdfs.impl", RdioFileSystem.class.getName());
    conf.set(RdioConfigKeys.CLIENT_WRITE.name(), "auto");
    conf.set(RdioConfigKeys.CLIENT_WRITE_SMALL.name(), "64k");
    conf.set(RdioConfigKeys.CLIENT_AGENT_WRITE.name(), "on");
    conf.set(RdioConfigKeys.CLIENT_RPC_TIMEOUT.name(), "20s");
    conf.set(RdioConfigKeys.CLIENT_DEVICES.name(), volume.asKey());
    return conf;
  }

  private static void awaitSlots() {
    java.nio.file.Path pool = volume.mountPoint().resolve("data/rdio/slots/pool");
    await().atMost(PATIENCE).until(() -> Maps.files(pool).size() >= SLOTS);
  }

  /** By stock HDFS, and one by the agent, which has the way to the DataNode then. */
  private static void writeOthers() throws IOException {
    for (int i = 0; i < SETTLED; i++) {
      SeededFile other = file("/other" + i, BLOCK);
      hdfs.write(other.path().getName(), other.bytes());
      noteBlocks(other, true);
    }
    SeededFile first = file("/first", BLOCK);
    await("the agent writes")
        .atMost(PATIENCE)
        .until(
            () -> {
              long before = WRITES.bytes.sum();
              SeededFile.write(rdio, first.path().toString(), BLOCK, first.path().hashCode());
              return WRITES.bytes.sum() > before;
            });
  }

  private static void writeFiles() throws IOException {
    long before = WRITES.bytes.sum();
    try (FSDataOutputStream out = rdio.create(CLOSED_FILE.path())) {
      out.write(CLOSED_FILE.bytes());
    }
    rdio.create(OPEN_FILE.path()).write(OPEN_FILE.bytes());
    assertThat(WRITES.bytes.sum() - before).as("bytes by the agent").isEqualTo(CLOSED + BLOCK);
  }

  private static void noteBlocks(SeededFile file, boolean isSettled) throws IOException {
    for (LocatedBlock block : Maps.blocks(hdfs.fileSystem, file.path())) {
      int from = Math.toIntExact(block.getStartOffset());
      byte[] content = file.range(from, Math.min(from + BLOCK, file.bytes().length));
      PROMISED.add(block.getBlock().getBlockId(), content, isSettled);
    }
  }

  @AfterAll
  static void close() throws Exception {
    Resources.close(rdio, agent, hdfs, volume);
  }

  @Test
  void eachWayIsFlushedAndEachStageReached() {
    cuts.assertBothWaysAreUsed();
    assertThat(cuts.stages().values())
        .containsExactlyInAnyOrder(
            Stage.COMMITTED, Stage.COMMITTED, Stage.COMMITTED, Stage.COMMITTED, Stage.LEASED);
  }

  @Test
  void whatWasAnsweredIsThere() throws IOException {
    cuts.assertPromised();
  }

  /** So it is the flushes of either that the other test lives by. */
  @ParameterizedTest
  @ValueSource(strings = {LoggedVolume.AGENT, LoggedVolume.DATA_NODE})
  void whereFlushesByAWayDoNothingItIsNot(String way) throws IOException {
    assertThat(cuts.brokenIfDeafTo(way)).isNotEmpty();
  }

  @Test
  void dataNodeServesWhatTheLossHasLeft() throws Exception {
    hdfs.stopDataNode();
    cuts.losePower();
    hdfs.startDataNode();
    await("the DataNode has its blocks again")
        .atMost(PATIENCE)
        .ignoreExceptionsInstanceOf(IOException.class)
        .untilAsserted(() -> assertIsWhole(hdfs, CLOSED_FILE));
    await().atMost(PATIENCE).until(() -> hdfs.fileSystem.recoverLease(OPEN_FILE.path()));
    assertIsWhole(hdfs, new SeededFile(OPEN_FILE.path(), OPEN_FILE.range(0, BLOCK)));
    assertThat(hdfs.fsck()).contains("is HEALTHY");
  }

  static void assertIsWhole(InJvmHdfs by, SeededFile file) throws IOException {
    try (FSDataInputStream in = by.fileSystem.open(file.path())) {
      byte[] found = in.readAllBytes();
      assertThat(found.length).isEqualTo(file.bytes().length);
      file.check(0, found);
    }
  }
}
