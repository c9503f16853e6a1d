// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rdio.hdfs.RdioConfigKeys;
import io.rdio.hdfs.client.locate.SmallCluster;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileRange;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.client.HdfsClientConfigKeys;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Vectored reads against a real NameNode, by clients that RDIO reads nothing for. */
class RdioFileSystemTest {
  private static final int BLOCK = 64 << 10;
  private static final int BLOCKS = 3;

  @TempDir static java.nio.file.Path folder;
  private static SmallCluster cluster;
  private static org.apache.hadoop.fs.Path file;

  @BeforeAll
  static void start() throws Exception {
    cluster = new SmallCluster(folder, 1);
    await().atMost(Duration.ofMinutes(1)).until(cluster::isUp);
    try (DistributedFileSystem fs = SmallCluster.open(cluster.conf())) {
      file = SmallCluster.write(fs, "/vectored", BLOCKS * (long) BLOCK, BLOCK);
    }
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  /** A client that knows the first block only of what it opens. */
  private static Configuration conf(String key, String value) {
    Configuration conf = cluster.conf();
    conf.set("fs.hdfs.impl", RdioFileSystem.class.getName());
    conf.set(HdfsClientConfigKeys.Read.PREFETCH_SIZE_KEY, "1");
    conf.set(RdioConfigKeys.CLIENT_ENABLED.name(), "true");
    conf.set(RdioConfigKeys.CLIENT_AGENT_SOCKET.name(), folder.resolve("no-agent.sock").toString());
    conf.set(key, value);
    return conf;
  }

  private static void readOfFirstBlock(FSDataInputStream in) throws Exception {
    FileRange range = FileRange.createFileRange(100, 1000);
    in.readVectored(List.of(range), ByteBuffer::allocate);
    assertThat(range.getData().get(1, TimeUnit.MINUTES).remaining()).isEqualTo(1000);
  }

  /** How often the NameNode was asked for block locations. */
  private static long calls() {
    return MetricsReader.value("NameNodeActivity", "GetBlockLocations");
  }

  @ParameterizedTest
  @CsvSource({
    "dfs.client.rdio.enabled, false",
    "dfs.encrypt.data.transfer, true",
    "dfs.client.rdio.agent, required"
  })
  void whereNothingIsReadTogetherTheNameNodeIsAskedForNothingMore(String key, String value)
      throws Exception {
    try (FileSystem fs = FileSystem.newInstance(conf(key, value));
        FSDataInputStream in = fs.open(file)) {
      long before = calls();
      readOfFirstBlock(in);
      assertThat(calls()).isEqualTo(before);
    }
  }

  @Test
  void otherwiseTheBlocksOfTheWholeFileAreAskedFor() throws Exception {
    Configuration conf = conf(RdioConfigKeys.CLIENT_DEVICE_AFTER.name(), "0");
    try (FileSystem fs = FileSystem.newInstance(conf);
        FSDataInputStream in = fs.open(file)) {
      long before = calls();
      readOfFirstBlock(in);
      assertThat(calls()).isEqualTo(before + 1);
    }
  }
}
