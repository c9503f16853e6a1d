// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.it;

import static io.rdio.hdfs.cluster.Shape.PLAIN_EXT4;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.FallbackReason;
import io.rdio.core.testing.Command;
import io.rdio.core.testing.Requirements;
import io.rdio.hdfs.RdioConfigKeys;
import io.rdio.hdfs.agent.AgentProcess;
import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.cluster.SharedClusters;
import io.rdio.hdfs.cluster.Shares;
import java.io.IOException;
import java.net.ServerSocket;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What RDIO cannot serve, stock HDFS serves: right bytes, and the reason counted. In both modes.
 */
@Tag("loop")
@Shares(PLAIN_EXT4)
@ParameterizedClass
@EnumSource(ReadMode.class)
class FallbackIT {
  private static final int BLOCK = 1 << 20;
  private static final int BLOCKS = 5;

  @Parameter ReadMode mode;

  private static Cluster cluster;
  private static FileSystem stock;
  private static SeededFile file;

  @BeforeParameterizedClassInvocation
  static void start(ReadMode mode, SharedClusters clusters) throws IOException {
    cluster = clusters.of(PLAIN_EXT4);
    stock = cluster.fileSystem(false);
    file = SeededFile.write(stock, "/file", BLOCKS * BLOCK, 1);
  }

  @AfterParameterizedClassInvocation
  static void stop() throws IOException {
    if (stock != null) {
      stock.close();
    }
  }

  /**
   * A process that reads the file.
   *
   * @param prefix of the command of whoever opens devices: the process, or its agent
   * @param keys of the same
   */
  private ReadOnce.Result read(List<String> prefix, Map<String, String> keys) throws Exception {
    if (mode == ReadMode.DIRECT) {
      return read(conf(keys), prefix, List.of());
    }
    try (AgentProcess agent = AgentProcess.start(cluster, prefix, keys)) {
      ReadOnce.Result result =
          read(agent.clientConf("dfs.client.rdio.agent", "required"), List.of(), List.of());
      assertThat(result.rdioBytes()).isEqualTo(result.agentBytes());
      return result;
    }
  }

  private static java.nio.file.Path conf(Map<String, String> keys) throws IOException {
    return cluster.addConfFolder("conf-" + UUID.randomUUID(), true, keys);
  }

  private static ReadOnce.Result read(
      java.nio.file.Path conf, List<String> prefix, List<String> jvmOptions) throws Exception {
    ReadOnce.Result result = ReadOnce.run(cluster, conf, prefix, jvmOptions, file.path());
    assertThat(result.crc()).isEqualTo(ReadOnce.crcOf(file.bytes()));
    return result;
  }

  @Test
  void allInOrder() throws Exception {
    ReadOnce.Result result = read(List.of(), Map.of());
    assertThat(result.rdioBytes()).isEqualTo(file.bytes().length);
    assertThat(result.fallbacks()).isEmpty();
  }

  @Test
  void clientWithoutNativeLibrary() throws Exception {
    ReadOnce.Result result =
        read(
            conf(Map.of("dfs.client.rdio.agent", mode == ReadMode.DIRECT ? "off" : "required")),
            List.of(),
            List.of("-Drdio.native.path=/nonexistent.so"));
    assertThat(result.rdioBytes()).isZero();
    assertThat(result.fallbacks()).isEqualTo("NATIVE_LIBRARY_UNAVAILABLE=" + BLOCKS);
  }

  @Test
  void noPermissionForTheDevice() throws Exception {
    Requirements.requireTool("setpriv");
    String device = cluster.volume(0).device();
    String owner = Command.run("stat", "-c", "%u:%g", device);
    String permissions = Command.run("stat", "-c", "%a", device);
    Command.run("chown", "nobody", device);
    Command.run("chmod", "600", device);
    try {
      ReadOnce.Result result =
          read(
              List.of(
                  "setpriv",
                  "--bounding-set=-dac_override,-dac_read_search",
                  "--inh-caps=-dac_override,-dac_read_search"),
              Map.of());
      assertThat(result.rdioBytes()).isZero();
      assertThat(result.fallbacks()).isEqualTo("DEVICE_PERMISSION=" + BLOCKS);
    } finally {
      Command.run("chown", owner, device);
      Command.run("chmod", permissions, device);
    }
  }

  @Test
  void dataNodeWithoutPlugin() throws Exception {
    int nobodys;
    try (ServerSocket freed = new ServerSocket(0)) {
      nobodys = freed.getLocalPort();
    }
    ReadOnce.Result result =
        read(
            List.of(),
            Map.of(RdioConfigKeys.CLIENT_DATANODE_PORT.name(), Integer.toString(nobodys)));
    assertThat(result.rdioBytes()).isZero();
    assertThat(result.fallbacks())
        .as("one call fails, the other blocks cost nothing")
        .isEqualTo("METADATA_PLANE_UNREACHABLE=1,METADATA_PLANE_BACKOFF=" + (BLOCKS - 1));
  }

  @Test
  void fileThatIsBeingWritten() throws IOException {
    byte[] bytes = SeededFile.random(BLOCK / 2, 3);
    try (RdioClient client = RdioClient.of(cluster, mode);
        FSDataOutputStream out = stock.create(new Path("/open"))) {
      Counts counts = Counts.of(mode);
      out.write(bytes);
      out.hflush();
      try (FSDataInputStream in = client.fs().open(new Path("/open"))) {
        assertThat(in.readNBytes(bytes.length)).isEqualTo(bytes);
      }
      assertThat(counts.fallbacks().keySet())
          .containsExactly(FallbackReason.FILE_UNDER_CONSTRUCTION);
    }
  }
}
