// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Modifier;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Classes that a cluster's configuration names stay where they are; few others are seen. */
final class PublicApiTest {
  /** What only checkouts run, which is in no jar that is installed. */
  private static final String CHECKOUT =
      "io\\.rdio\\.hdfs\\.(carried|cluster|demo|load|testbed)\\..*";

  /** Public for the rest of the client only. */
  private static final String PARTS_OF_THE_CLIENT =
      "io\\.rdio\\.hdfs\\.client\\.(direct|locate|namenode|positional|stock|vectored|way|write)\\..*";

  @Test
  void isWhatItIsMeantToBe() throws Exception {
    assertThat(publicClasses(name -> !name.matches(CHECKOUT) && !name.matches(PARTS_OF_THE_CLIENT)))
        .containsExactlyInAnyOrder(
            // Named by configurations.
            "io.rdio.hdfs.client.RdioReplicaAccessorBuilder",
            "io.rdio.hdfs.client.RecordingFailoverProxyProvider",
            "io.rdio.hdfs.client.RecordingIPFailoverProxyProvider",
            "io.rdio.hdfs.client.RdioFileSystem",
            "io.rdio.hdfs.datanode.RdioDataNodePlugin",
            "io.rdio.hdfs.datanode.RecallingDatasetFactory",
            // Public for HDFS, which calls it.
            "io.rdio.hdfs.client.RdioReplicaAccessor",
            // In Hadoop's packages, for what they extend is seen there only.
            "org.apache.hadoop.hdfs.RestOfFile",
            "org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.EmptyReplicas",
            "org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.RecallingFsDataset",
            // Run by users, and by the shell profile.
            "io.rdio.hdfs.cli.Rdio",
            "io.rdio.hdfs.start.ConfigurationJar",
            "io.rdio.hdfs.start.StartClasses",
            // For the client that opens devices itself.
            "io.rdio.hdfs.client.DirectClient",
            "io.rdio.hdfs.client.DirectGauges",
            "io.rdio.hdfs.client.JvmCounters",
            "io.rdio.hdfs.client.RdioClientMetrics",
            "io.rdio.hdfs.client.ThinSettings",
            // For the rdio command, and for what only checkouts run.
            "io.rdio.hdfs.cli.RootRights",
            "io.rdio.hdfs.agent.AgentLogin",
            "io.rdio.hdfs.agent.HostAgent",
            // For DataNode and agent.
            "io.rdio.hdfs.token.BlockTokens",
            // For the rest of the DataNode's plugin.
            "io.rdio.hdfs.datanode.dataset.DataNodeReplicas",
            "io.rdio.hdfs.datanode.lock.ReplicaLocks",
            "io.rdio.hdfs.datanode.write.WriteKeys",
            "io.rdio.hdfs.datanode.write.WriteRuntime",
            // For client and DataNode.
            "io.rdio.hdfs.ConfigKey",
            "io.rdio.hdfs.RdioConfigKeys",
            "io.rdio.hdfs.TlsConfigKeys",
            "io.rdio.hdfs.tls.TlsConfig",
            // For the service loader.
            "io.rdio.hdfs.SettingKeys");
  }

  @Test
  void partsOfTheClientShowNoMoreThanItsOtherPartsUse() throws Exception {
    assertThat(publicClasses(name -> name.matches(PARTS_OF_THE_CLIENT)))
        .containsExactlyInAnyOrder(
            // The first four for the rdio command, too.
            "io.rdio.hdfs.client.way.ExitLine",
            "io.rdio.hdfs.client.way.FallbackLine",
            "io.rdio.hdfs.client.direct.DataNodePlugins",
            "io.rdio.hdfs.client.direct.RdioClientContext",
            "io.rdio.hdfs.client.direct.Detours",
            "io.rdio.hdfs.client.direct.DeviceClient",
            "io.rdio.hdfs.client.direct.DeviceWays",
            "io.rdio.hdfs.client.locate.LocationStore",
            "io.rdio.hdfs.client.locate.LocatorChain",
            "io.rdio.hdfs.client.locate.NameNodeLocator",
            "io.rdio.hdfs.client.locate.RecentBlocks",
            "io.rdio.hdfs.client.locate.RecordedLocator",
            "io.rdio.hdfs.client.locate.RecordingTranslator",
            "io.rdio.hdfs.client.namenode.AbandonedNameNodes",
            "io.rdio.hdfs.client.namenode.ImpatientCalls",
            "io.rdio.hdfs.client.namenode.KnownBlocks",
            "io.rdio.hdfs.client.namenode.NameNodes",
            "io.rdio.hdfs.client.namenode.RecordedBlocks",
            "io.rdio.hdfs.client.namenode.SupplyingTranslator",
            "io.rdio.hdfs.client.namenode.UnlistedBlocks",
            "io.rdio.hdfs.client.positional.PositionalInputStream",
            "io.rdio.hdfs.client.positional.PositionalSource",
            "io.rdio.hdfs.client.stock.StockBlock",
            "io.rdio.hdfs.client.stock.StockBlockSource",
            "io.rdio.hdfs.client.stock.StockBlocks",
            "io.rdio.hdfs.client.stock.StockReplicaReader",
            "io.rdio.hdfs.client.stock.StockVerdict",
            "io.rdio.hdfs.client.vectored.RangeSource",
            "io.rdio.hdfs.client.vectored.VectoredInputStream",
            "io.rdio.hdfs.client.vectored.VectoredReader",
            "io.rdio.hdfs.client.way.AgentWay",
            "io.rdio.hdfs.client.way.BlockToRead",
            "io.rdio.hdfs.client.way.BlockWay",
            "io.rdio.hdfs.client.way.BlockWays",
            "io.rdio.hdfs.client.way.BufferWay",
            "io.rdio.hdfs.client.way.FallbackLog",
            "io.rdio.hdfs.client.write.NewFiles",
            "io.rdio.hdfs.client.write.NoBlocks",
            "io.rdio.hdfs.client.write.OpenFile",
            "io.rdio.hdfs.client.write.RemoteBlock",
            "io.rdio.hdfs.client.write.RemoteBlocks",
            "io.rdio.hdfs.client.write.WriteCounters");
  }

  private static List<String> publicClasses(Predicate<String> which)
      throws IOException, URISyntaxException {
    Path root =
        Path.of(RdioConfigKeys.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    try (Stream<Path> files = Files.walk(root)) {
      return files
          .map(file -> root.relativize(file).toString())
          .filter(name -> name.endsWith(".class") && !name.contains("$"))
          .filter(name -> !name.endsWith("package-info.class"))
          .map(name -> name.substring(0, name.length() - ".class".length()).replace('/', '.'))
          .filter(which)
          .filter(PublicApiTest::isPublic)
          .toList();
    }
  }

  private static boolean isPublic(String name) {
    try {
      return Modifier.isPublic(
          Class.forName(name, false, PublicApiTest.class.getClassLoader()).getModifiers());
    } catch (ClassNotFoundException e) {
      throw new AssertionError(e);
    }
  }
}
