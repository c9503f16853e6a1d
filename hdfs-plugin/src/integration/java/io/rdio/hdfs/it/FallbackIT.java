// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.it;

import static io.rdio.hdfs.cluster.Shape.PLAIN_EXT4;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.FallbackReason;
import io.rdio.core.testing.Command;
import io.rdio.core.testing.Requirements;
import io.rdio.hdfs.RdioConfigKeys;
import io.rdio.hdfs.client.direct.RdioClientContext;
import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.cluster.SharedClusters;
import io.rdio.hdfs.cluster.Shares;
import java.io.IOException;
import java.net.ServerSocket;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What RDIO cannot serve, stock HDFS serves: right bytes, and the reason counted. */
@Tag("loop")
@Shares(PLAIN_EXT4)
class FallbackIT {
  private static final int BLOCK = 1 << 20;
  private static final int BLOCKS = 5;

  private static Cluster cluster;
  private static FileSystem stock;
  private static SeededFile file;

  @BeforeAll
  static void start(SharedClusters clusters) throws IOException {
    cluster = clusters.of(PLAIN_EXT4);
    stock = cluster.fileSystem(false);
    file = SeededFile.write(stock, "/file", BLOCKS * BLOCK, 1);
  }

  @AfterAll
  static void stop() throws IOException {
    if (stock != null) {
      stock.close();
    }
  }

  @Test
  void clientInOrder() throws Exception {
    ReadOnce.Result result = ReadOnce.run(cluster, List.of(), List.of(), file.path());
    assertThat(result.crc()).isEqualTo(ReadOnce.crcOf(file.bytes()));
    assertThat(result.rdioBytes()).isEqualTo(file.bytes().length);
    assertThat(result.fallbacks()).isEmpty();
  }

  @Test
  void clientWithoutNativeLibrary() throws Exception {
    ReadOnce.Result result =
        ReadOnce.run(
            cluster, List.of(), List.of("-Drdio.native.path=/nonexistent.so"), file.path());
    assertThat(result.crc()).isEqualTo(ReadOnce.crcOf(file.bytes()));
    assertThat(result.rdioBytes()).isZero();
    assertThat(result.fallbacks()).isEqualTo("NATIVE_LIBRARY_UNAVAILABLE=" + BLOCKS);
  }

  @Test
  void clientWithoutDevicePermission() throws Exception {
    Requirements.requireTool("setpriv");
    String device = cluster.volume(0).device();
    String owner = Command.run("stat", "-c", "%u:%g", device);
    String mode = Command.run("stat", "-c", "%a", device);
    Command.run("chown", "nobody", device);
    Command.run("chmod", "600", device);
    try {
      ReadOnce.Result result =
          ReadOnce.run(
              cluster,
              List.of(
                  "setpriv",
                  "--bounding-set=-dac_override,-dac_read_search",
                  "--inh-caps=-dac_override,-dac_read_search"),
              List.of(),
              file.path());
      assertThat(result.crc()).isEqualTo(ReadOnce.crcOf(file.bytes()));
      assertThat(result.rdioBytes()).isZero();
      assertThat(result.fallbacks()).isEqualTo("DEVICE_PERMISSION=" + BLOCKS);
    } finally {
      Command.run("chown", owner, device);
      Command.run("chmod", mode, device);
    }
  }

  @Test
  void dataNodeWithoutPlugin() throws Exception {
    int nobodys;
    try (ServerSocket freed = new ServerSocket(0)) {
      nobodys = freed.getLocalPort();
    }
    java.nio.file.Path conf =
        cluster.addConfFolder(
            "conf-no-plugin-" + nobodys,
            true,
            Map.of(RdioConfigKeys.CLIENT_DATANODE_PORT.name(), Integer.toString(nobodys)));
    ReadOnce.Result result = ReadOnce.run(cluster, conf, List.of(), List.of(), file.path());
    assertThat(result.crc()).isEqualTo(ReadOnce.crcOf(file.bytes()));
    assertThat(result.rdioBytes()).isZero();
    assertThat(result.fallbacks())
        .as("one call fails, the other blocks cost nothing")
        .isEqualTo("METADATA_PLANE_UNREACHABLE=1,METADATA_PLANE_BACKOFF=" + (BLOCKS - 1));
  }

  @Test
  @SuppressWarnings("try") // the context is only to be closed
  void fileThatIsBeingWritten() throws IOException {
    byte[] bytes = SeededFile.random(BLOCK / 2, 3);
    try (FileSystem rdio = cluster.fileSystem(true);
        RdioClientContext closed = RdioClientContext.get(rdio.getConf());
        FSDataOutputStream out = stock.create(new Path("/open"))) {
      Counts counts = Counts.now();
      out.write(bytes);
      out.hflush();
      try (FSDataInputStream in = rdio.open(new Path("/open"))) {
        assertThat(in.readNBytes(bytes.length)).isEqualTo(bytes);
      }
      assertThat(counts.fallbacks().keySet())
          .containsExactly(FallbackReason.FILE_UNDER_CONSTRUCTION);
    }
  }
}
