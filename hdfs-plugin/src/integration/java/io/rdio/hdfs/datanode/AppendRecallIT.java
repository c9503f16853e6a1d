// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.datanode;

import static io.rdio.hdfs.datanode.InJvmHdfs.randomBytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rdio.core.device.DeviceDirectory;
import io.rdio.core.device.LocalDeviceDirectory;
import io.rdio.core.testing.LoopFileSystem;
import io.rdio.core.wire.proto.FileMap;
import io.rdio.hdfs.RdioConfigKeys;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInfo;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Appends and truncates of leased blocks, with the dataset that recalls first and without it. */
@Tag("loop")
final class AppendRecallIT {
  private static final int LENGTH = 1_500_777;
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  @TempDir java.nio.file.Path nameDirectory;

  private static Map<String, String> recalling(String wait) {
    return Map.of(
        DFSConfigKeys.DFS_DATANODE_FSDATASET_FACTORY_KEY,
        RecallingDatasetFactory.class.getName(),
        RdioConfigKeys.DATANODE_APPEND_WAIT.name(),
        wait,
        // What is recalled here is recalled by the dataset, not by the sweep.
        RdioConfigKeys.DATANODE_RECALL_CHECK_INTERVAL.name(),
        "10m");
  }

  @Test
  void blockThatIsGivenBackIsChangedInPlace() throws Exception {
    try (LoopFileSystem volume = LoopFileSystem.create("ext4", 400L << 20, List.of(), "defaults");
        InJvmHdfs hdfs = new InJvmHdfs(volume, nameDirectory, recalling("10s"))) {
      ReturningHolder.start(hdfs);
      Path file = hdfs.write("a", randomBytes(LENGTH));
      assertThat(hdfs.grant(hdfs.lastBlock(file)).hasFileMap()).isTrue();
      Object inode = inode(hdfs, file);

      append(hdfs, file);
      assertThat(inode(hdfs, file)).isEqualTo(inode);

      assertThat(hdfs.grant(hdfs.lastBlock(file)).hasFileMap()).isTrue();
      truncate(hdfs, file);
      assertThat(inode(hdfs, file)).isEqualTo(inode);
      awaitMetric(hdfs, "ChangedUnpinned", 2);
      awaitMetric(hdfs, "ChangedPinned", 0);
      assertThat(hdfs.grant(hdfs.lastBlock(file)).hasFileMap()).isTrue();
    }
  }

  @Test
  void blockThatIsNotGivenBackIsCopiedAfterTheWait() throws Exception {
    try (LoopFileSystem volume = LoopFileSystem.create("ext4", 400L << 20, List.of(), "defaults");
        InJvmHdfs hdfs = new InJvmHdfs(volume, nameDirectory, recalling("100ms"));
        DeviceDirectory devices = new LocalDeviceDirectory(Map.of(), Duration.ofMinutes(1))) {
      for (String name : List.of("append", "truncate")) {
        Path file = hdfs.write(name, randomBytes(LENGTH));
        FileMap held = hdfs.grant(hdfs.lastBlock(file)).getFileMap();
        Object inode = inode(hdfs, file);
        if (name.equals("append")) {
          append(hdfs, file);
        } else {
          truncate(hdfs, file);
        }
        assertThat(inode(hdfs, file)).isNotEqualTo(inode);
        GrantedBytes.check(devices, held, randomBytes(LENGTH));
      }
      awaitMetric(hdfs, "ChangedPinned", 2);
    }
  }

  @Test
  void withoutThePluginTheDatasetIsStock() throws Exception {
    Map<String, String> keys =
        Map.of(
            DFSConfigKeys.DFS_DATANODE_FSDATASET_FACTORY_KEY,
            RecallingDatasetFactory.class.getName(),
            "dfs.datanode.plugins",
            RdioDataNodePlugin.class.getName(),
            RdioConfigKeys.DATANODE_LEASE_DURATION.name(),
            "never"); // so that it does not start
    try (LoopFileSystem volume = LoopFileSystem.create("ext4", 400L << 20, List.of(), "defaults");
        InJvmHdfs hdfs = new InJvmHdfs(volume, nameDirectory, keys)) {
      Path file = hdfs.write("a", randomBytes(LENGTH));
      Object inode = inode(hdfs, file);
      append(hdfs, file);
      truncate(hdfs, file);
      assertThat(inode(hdfs, file)).isEqualTo(inode);
    }
  }

  /** The /jmx page shows for a second what it saw first. */
  private static void awaitMetric(InJvmHdfs hdfs, String name, long value) {
    await().atMost(PATIENCE).until(() -> hdfs.metric(name), Long.valueOf(value)::equals);
  }

  private static void append(InJvmHdfs hdfs, Path file) throws IOException {
    try (FSDataOutputStream out = hdfs.fileSystem.append(file)) {
      out.write(randomBytes(700));
    }
  }

  private static void truncate(InJvmHdfs hdfs, Path file) throws IOException {
    hdfs.fileSystem.truncate(file, LENGTH / 2);
    await().atMost(PATIENCE).until(() -> hdfs.fileSystem.isFileClosed(file));
  }

  /** Of the file that is the last block's replica now. */
  @SuppressWarnings("deprecation") // the one way to a replica's file
  private static Object inode(InJvmHdfs hdfs, Path file) throws IOException {
    ExtendedBlock block = hdfs.lastBlock(file).getBlock();
    ReplicaInfo replica =
        (ReplicaInfo)
            hdfs.dataNode.getFSDataset().getReplica(block.getBlockPoolId(), block.getBlockId());
    return Files.getAttribute(java.nio.file.Path.of(replica.getBlockURI()), "unix:ino");
  }
}
