// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.it;

import static io.rdio.hdfs.cluster.Shape.PLAIN_EXT4;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.hdfs.RdioConfigKeys;
import io.rdio.hdfs.agent.AgentProcess;
import io.rdio.hdfs.client.RdioFileSystem;
import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.cluster.SharedClusters;
import io.rdio.hdfs.cluster.Shares;
import io.rdio.hdfs.it.LibHdfsReader.Run;
import io.rdio.hdfs.it.LibHdfsReader.Way;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A program in C by libhdfs: the bytes of stock HDFS, by RDIO, with configuration alone. */
@Tag("loop")
@Shares(PLAIN_EXT4)
class LibHdfsIT {
  private static final int LENGTH = (3 << 20) + 12_345;

  @TempDir static Path folder;
  private static LibHdfsReader reader;
  private static Cluster cluster;
  private static SeededFile file;

  @BeforeAll
  static void write(SharedClusters clusters) throws IOException {
    reader = LibHdfsReader.compile(folder);
    cluster = clusters.of(PLAIN_EXT4);
    try (FileSystem stock = cluster.fileSystem(false)) {
      file = SeededFile.write(stock, "/by-libhdfs", LENGTH, 3);
    }
  }

  private static void assertRead(Run run, long shortCircuit) {
    assertThat(run.ways()).extracting(Way::name).contains("read", "unbuffer", "seek", "pread");
    for (Way way : run.ways()) {
      assertThat(way.got()).as(way.name()).hasSize(LENGTH);
      file.check(0, way.got());
      assertThat(way.total()).as("bytes by %s", way.name()).isEqualTo(LENGTH);
      assertThat(way.shortCircuit()).as("of these by RDIO").isEqualTo(shortCircuit);
    }
  }

  /** What the others are compared with; nothing else here counts as short-circuit. */
  @Test
  void readsByStockHdfs() throws Exception {
    assertRead(reader.read(cluster, cluster.confFolder(false), file), 0);
  }

  @Test
  void readsByTheAgent() throws Exception {
    try (AgentProcess agent = AgentProcess.start(cluster)) {
      Path conf =
          agent.clientConf(
              RdioConfigKeys.CLIENT_AGENT.name(),
              "required",
              "fs.hdfs.impl",
              RdioFileSystem.class.getName());
      assertRead(reader.read(cluster, conf, file), LENGTH);
    }
  }

  @Test
  void readsDevicesItselfAndReportsAtTheEndOfItsJvm() throws Exception {
    Path conf =
        cluster.addConfFolder(
            "conf-libhdfs",
            true,
            Map.of(
                RdioConfigKeys.CLIENT_AGENT.name(),
                "off",
                RdioConfigKeys.CLIENT_EXIT_REPORT.name(),
                "true"));
    Run run = reader.read(cluster, conf, file, LibHdfsReader.ENDS_JVM);
    assertRead(run, LENGTH);
    assertThat(run.log()).contains("by RDIO (100 %): 0 B by the agent of this host,");
  }
}
