// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.datanode;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.FallbackReason;
import io.rdio.core.testing.LoopFileSystem;
import io.rdio.core.testing.Requirements;
import io.rdio.hdfs.agent.JvmAgent;
import io.rdio.hdfs.client.direct.RdioClientContext;
import io.rdio.hdfs.it.Counts;
import io.rdio.hdfs.it.ReadMode;
import io.rdio.hdfs.it.SeededFile;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Readers of a nameservice whose NameNodes fail and take turns while a file is read. */
@Tag("loop")
final class HaIT {
  private static final int BLOCK = 1 << 20;
  private static final int LENGTH = 6 * BLOCK + 12_345;
  private static final int FIRST_PART = 2 * BLOCK + 1000;

  @TempDir static Path nameDirectory;
  private static LoopFileSystem volume;
  private static HaHdfs hdfs;
  private static FileSystem stock;

  @BeforeAll
  static void start() throws IOException {
    Requirements.requireLoop("ext4");
    volume = LoopFileSystem.create("ext4", 400L << 20, List.of(), "defaults");
    hdfs = new HaHdfs(volume, nameDirectory);
    stock = HaHdfs.open(hdfs.stockConf());
  }

  @AfterAll
  static void stop() throws IOException {
    if (stock != null) {
      stock.close();
    }
    if (hdfs != null) {
      hdfs.close();
    }
    if (volume != null) {
      volume.close();
    }
  }

  @FunctionalInterface
  private interface Failover {
    void happen() throws IOException;
  }

  @ParameterizedTest
  @CsvSource({
    "DIRECT, org.apache.hadoop.hdfs.server.namenode.ha.ConfiguredFailoverProxyProvider",
    "DIRECT, io.rdio.hdfs.client.RecordingFailoverProxyProvider",
    "BY_AGENT, org.apache.hadoop.hdfs.server.namenode.ha.ConfiguredFailoverProxyProvider",
    "BY_AGENT, io.rdio.hdfs.client.RecordingFailoverProxyProvider"
  })
  void readsGoOnByRdio(ReadMode mode, String provider) throws Exception {
    Configuration conf = hdfs.rdioConf();
    conf.set("dfs.client.failover.proxy.provider." + HaHdfs.SERVICE, provider);
    // A stream asks for the blocks behind its first ones when it comes there: after the failover.
    conf.setInt("dfs.client.read.prefetch.size", BLOCK);
    try (Closeable agent = mode == ReadMode.BY_AGENT ? JvmAgent.start(conf) : () -> {};
        FileSystem rdio = HaHdfs.open(conf);
        RdioClientContext context = RdioClientContext.get(conf)) {
      assertThat(List.of(agent, context)).doesNotContainNull();
      String folder = "/" + mode + "/" + provider;
      readAcross(hdfs::crash, mode, rdio, folder + "/crash");
      hdfs.restart();
      readAcross(hdfs::handOver, mode, rdio, folder + "/hand-over");
    }
  }

  /** A file that is being read, one that nobody has read, and one that the new NameNode made. */
  private static void readAcross(Failover failover, ReadMode mode, FileSystem rdio, String folder)
      throws IOException {
    SeededFile begun = SeededFile.write(stock, folder + "/begun", LENGTH, folder.hashCode());
    SeededFile unread = SeededFile.write(stock, folder + "/unread", LENGTH, 2);
    Counts counts = Counts.of(mode);
    long before = counts.rdioBytes();
    try (FSDataInputStream in = rdio.open(begun.path())) {
      begun.check(0, in.readNBytes(FIRST_PART));
      failover.happen();
      byte[] rest = in.readAllBytes();
      assertThat(rest).hasSize(LENGTH - FIRST_PART);
      begun.check(FIRST_PART, rest);
    }
    read(rdio, unread);
    read(rdio, SeededFile.write(stock, folder + "/new", LENGTH, 3));
    long byRdio = counts.rdioBytes() - before;
    if (mode == ReadMode.DIRECT) {
      counts.assertNoFallback();
      assertThat(byRdio).isEqualTo(3L * LENGTH);
    } else {
      // The agent asks a NameNode that is not active yet again after a second; stock HDFS serves a
      // block that is wanted meanwhile.
      assertThat(counts.fallbacks().keySet()).isSubsetOf(FallbackReason.LOCATION_UNKNOWN);
      assertThat(byRdio).isBetween(2L * LENGTH, 3L * LENGTH);
    }
  }

  private static void read(FileSystem rdio, SeededFile file) throws IOException {
    try (FSDataInputStream in = rdio.open(file.path())) {
      byte[] all = in.readAllBytes();
      assertThat(all).hasSize(LENGTH);
      file.check(0, all);
    }
  }
}
