// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.datanode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rdio.core.FallbackReason;
import io.rdio.core.testing.Command;
import io.rdio.core.testing.LoopDevice;
import io.rdio.core.testing.LoopFileSystem;
import io.rdio.core.testing.Resources;
import io.rdio.core.testing.ScratchFolder;
import io.rdio.hdfs.RdioConfigKeys;
import io.rdio.hdfs.agent.JvmAgent;
import io.rdio.hdfs.client.RdioFileSystem;
import io.rdio.hdfs.client.write.WriteCounters;
import io.rdio.hdfs.it.Maps;
import io.rdio.hdfs.it.SeededFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * An agent whose way leads to a copy of a DataNode's device, which is as large and has the same
 * file system's UUID: it writes nothing there where the slot's stamps are not (W12), and where they
 * are, too, nothing of what it has written is committed (W7).
 */
@Tag("loop")
final class CopiedDeviceIT {
  private static final int BLOCK = 4 << 20;
  private static final int LENGTH = 3_000_777;
  private static final int SLOTS = 8;
  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private static final WriteCounters WRITES = WriteCounters.OF_THIS_JVM;

  @TempDir Path nameDirectory;
  private final SeededFile other = file("/other", BLOCK);
  private final SeededFile file = file("/file", LENGTH);
  private ScratchFolder scratch;
  private LoopFileSystem volume;
  private LoopDevice copy;
  private InJvmHdfs hdfs;
  private JvmAgent agent;
  private FileSystem rdio;

  private static SeededFile file(String name, int length) {
    return new SeededFile(
        new org.apache.hadoop.fs.Path(name), SeededFile.random(length, name.hashCode()));
  }

  @AfterEach
  void close() throws Exception {
    Resources.close(rdio, agent, hdfs, copy, volume, scratch);
  }

  private void startHdfs() throws IOException {
    Map<String, String> keys = RemoteWriteIT.writing();
    keys.put(RdioConfigKeys.DATANODE_WRITE_IO_TIME_MAX.name(), "1s");
    hdfs = new InJvmHdfs(volume, nameDirectory, keys);
    hdfs.write(other.path().getName(), other.bytes());
    await().atMost(PATIENCE).until(() -> slots("pool") >= SLOTS);
  }

  private int slots(String folder) throws IOException {
    return Maps.files(volume.mountPoint().resolve("data/rdio/slots").resolve(folder)).size();
  }

  /** Of the device as it is now, and one of that copy to compare it with. */
  private void copyDevice() throws IOException {
    Command.run("sync", "-f", volume.mountPoint().toString());
    String image =
        Command.run("losetup", "--noheadings", "-O", "BACK-FILE", volume.device().toString());
    Command.run("cp", "--sparse=always", image, copied().toString());
    Command.run("cp", "--sparse=always", copied().toString(), asItWas().toString());
    copy = LoopDevice.attach(copied());
  }

  private Path copied() {
    return scratch.path().resolve("copied");
  }

  private Path asItWas() {
    return scratch.path().resolve("as-it-was");
  }

  /** Whether somebody has written to the copy. */
  private boolean isCopyChanged() throws IOException {
    Command.run("blockdev", "--flushbufs", copy.node().toString());
    return Files.mismatch(copied(), asItWas()) >= 0;
  }

  private void startAgent() throws IOException {
    Configuration conf = hdfs.rdioConf();
    conf.set("fs.hdfs.impl", RdioFileSystem.class.getName());
    conf.set(RdioConfigKeys.CLIENT_WRITE.name(), "auto");
    conf.set(RdioConfigKeys.CLIENT_AGENT_WRITE.name(), "on");
    conf.set(RdioConfigKeys.CLIENT_RPC_TIMEOUT.name(), "20s");
    conf.set(RdioConfigKeys.CLIENT_DEVICES.name(), volume.uuid() + "=" + copy.node());
    agent = JvmAgent.start(conf);
    rdio = FileSystem.newInstance(conf);
  }

  private void assertContent(SeededFile expected) throws IOException {
    try (FSDataInputStream in = hdfs.fileSystem.open(expected.path())) {
      byte[] found = in.readAllBytes();
      assertThat(found.length).isEqualTo(expected.bytes().length);
      expected.check(0, found);
    }
  }

  /** The other test's copy shows that all but the stamps is as the agent wants it. */
  @Test
  void nothingIsWrittenWhereTheStampsAreNot() throws Exception {
    scratch = ScratchFolder.make("rdio-copied-");
    volume = RemoteWriteIT.volume("ext4");
    copyDevice();
    startHdfs();
    startAgent();
    long bytes = WRITES.bytes.sum();
    long refused = WRITES.fallbacks(FallbackReason.DEVICE_MISMATCH);

    try (FSDataOutputStream out = rdio.create(file.path())) {
      out.write(file.bytes());
    }

    assertThat(WRITES.fallbacks(FallbackReason.DEVICE_MISMATCH)).isEqualTo(refused + 1);
    assertThat(WRITES.bytes.sum()).as("bytes by the agent").isEqualTo(bytes);
    assertThat(isCopyChanged()).isFalse();
    assertContent(file);
    assertContent(other);
    await("the slot comes back").atMost(PATIENCE).until(() -> slots("leased") == 0);
    assertThat(hdfs.fsck()).contains("is HEALTHY");
  }

  @Test
  void nothingIsCommittedOfWhatWasWrittenToACopy() throws Exception {
    scratch = ScratchFolder.make("rdio-copied-");
    volume = RemoteWriteIT.volume("ext4");
    startHdfs();
    copyDevice();
    startAgent();
    long lost = WRITES.lostBlocks.sum();

    FSDataOutputStream out = rdio.create(file.path());
    out.write(file.bytes());
    assertThatThrownBy(out::close)
        .isInstanceOf(IOException.class)
        .hasMessageContaining("is lost")
        .hasMessageContaining(FallbackReason.CHECKSUM_MISMATCH.name());

    assertThat(WRITES.lostBlocks.sum()).isEqualTo(lost + 1);
    assertThat(isCopyChanged()).isTrue();
    await().atMost(PATIENCE).until(() -> hdfs.fileSystem.recoverLease(file.path()));
    assertThat(hdfs.fileSystem.getFileStatus(file.path()).getLen()).isZero();
    assertContent(other);
    await("the slot comes back").atMost(PATIENCE).until(() -> slots("leased") == 0);
    assertThat(hdfs.fsck()).contains("is HEALTHY");
  }
}
