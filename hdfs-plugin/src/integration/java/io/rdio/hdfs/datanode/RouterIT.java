// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.datanode;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.testing.LoopFileSystem;
import io.rdio.core.testing.Requirements;
import io.rdio.hdfs.RdioConfigKeys;
import io.rdio.hdfs.agent.JvmAgent;
import io.rdio.hdfs.client.RecordingIPFailoverProxyProvider;
import io.rdio.hdfs.client.direct.RdioClientContext;
import io.rdio.hdfs.cluster.HdfsRouter;
import io.rdio.hdfs.it.Counts;
import io.rdio.hdfs.it.ReadMode;
import io.rdio.hdfs.it.SeededFile;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Readers of two namespaces by way of a router, whose paths no NameNode knows; with block tokens,
 * so that an agent needs the keys of both NameNodes.
 */
@Tag("loop")
final class RouterIT {
  private static final int LENGTH = 9_000_123;
  private static final List<String> NAMES = List.of("one", "two");

  @TempDir static Path nameDirectory;
  private static LoopFileSystem volume;
  private static FederatedHdfs hdfs;
  private static HdfsRouter router;

  @BeforeAll
  static void start() throws IOException {
    Requirements.requireLoop("ext4");
    volume = LoopFileSystem.create("ext4", 400L << 20, List.of(), "defaults");
    hdfs =
        new FederatedHdfs(volume, nameDirectory, Map.of("dfs.block.access.token.enable", "true"));
    router = HdfsRouter.start(hdfs.conf());
  }

  @AfterAll
  static void stop() throws IOException {
    if (router != null) {
      router.close();
    }
    if (hdfs != null) {
      hdfs.close();
    }
    if (volume != null) {
      volume.close();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "DIRECT, recorded",
    "DIRECT, namenode",
    "BY_AGENT, namenode",
  })
  void filesOfBothNamespacesAreReadByRdio(ReadMode mode, String locations) throws Exception {
    Configuration conf = clientConf(mode);
    conf.set(RdioConfigKeys.CLIENT_LOCATIONS.name(), locations);
    try (Closeable agent = mode == ReadMode.BY_AGENT ? JvmAgent.start(conf) : () -> {};
        FileSystem rdio = FileSystem.newInstance(conf);
        RdioClientContext context = RdioClientContext.get(conf)) {
      assertThat(List.of(agent, context)).doesNotContainNull();
      for (int i = 0; i < NAMES.size(); i++) {
        SeededFile file = write(i, "/" + mode + "-" + locations);
        read(mode, rdio, mounted(i, file));
      }
    }
  }

  /** Each knows the files of a pool by paths that the other does not know. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void clientsOfTheRouterAndOfANameNodeShareAJvm(boolean routerFirst) throws Exception {
    Configuration conf = clientConf(ReadMode.BY_AGENT);
    conf.set(RdioConfigKeys.CLIENT_LOCATIONS.name(), "namenode");
    try (FileSystem ofNameNode = FileSystem.newInstance(hdfs.uri(0), conf);
        FileSystem ofRouter = FileSystem.newInstance(conf);
        RdioClientContext context = RdioClientContext.get(ofRouter.getConf())) {
      assertThat(RdioClientContext.get(ofNameNode.getConf())).isSameAs(context);
      SeededFile file = write(0, "/by-its-name-node-" + routerFirst);
      SeededFile routed = mounted(0, write(0, "/by-the-router-" + routerFirst));
      if (routerFirst) {
        read(ReadMode.DIRECT, ofRouter, routed);
        read(ReadMode.DIRECT, ofNameNode, file);
      } else {
        read(ReadMode.DIRECT, ofNameNode, file);
        read(ReadMode.DIRECT, ofRouter, routed);
      }
    }
  }

  /** A client knows the router alone, an agent the NameNodes too. */
  private static Configuration clientConf(ReadMode mode) {
    Configuration conf = hdfs.rdioConf();
    conf.set("fs.defaultFS", router.uri().toString());
    conf.set(
        "dfs.client.failover.proxy.provider." + router.uri().getHost(),
        RecordingIPFailoverProxyProvider.class.getName());
    if (mode == ReadMode.DIRECT) {
      conf.unset("dfs.nameservices");
    }
    return conf;
  }

  private static SeededFile write(int nameNode, String path) throws IOException {
    try (DistributedFileSystem stock = hdfs.stock(nameNode)) {
      return SeededFile.write(stock, path, LENGTH, path.hashCode() + nameNode);
    }
  }

  /** As the router calls it. */
  private static SeededFile mounted(int nameNode, SeededFile file) {
    return new SeededFile(
        new org.apache.hadoop.fs.Path("/" + NAMES.get(nameNode) + file.path()), file.bytes());
  }

  private static void read(ReadMode mode, FileSystem rdio, SeededFile file) throws IOException {
    Counts counts = Counts.of(mode);
    long before = counts.rdioBytes();
    try (FSDataInputStream in = rdio.open(file.path())) {
      byte[] all = in.readAllBytes();
      assertThat(all).hasSize(LENGTH);
      file.check(0, all);
    }
    counts.assertNoFallback();
    assertThat(counts.rdioBytes() - before).isEqualTo(LENGTH);
  }
}
