// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.datanode;

import static org.awaitility.Awaitility.await;

import io.rdio.core.testing.LoopFileSystem;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.server.common.HdfsServerConstants.StartupOption;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.namenode.NameNode;

/** Two NameNodes of one federation and a DataNode with the plugin that serves both, in this JVM. */
final class FederatedHdfs implements AutoCloseable {
  private static final List<String> NAMES = List.of("one", "two");

  final DataNode dataNode;
  private final Configuration conf;
  private final List<NameNode> nameNodes = new ArrayList<>();

  FederatedHdfs(LoopFileSystem volume, Path nameDirectory) throws IOException {
    this(volume, nameDirectory, Map.of());
  }

  FederatedHdfs(LoopFileSystem volume, Path nameDirectory, Map<String, String> keys)
      throws IOException {
    conf = InJvmHdfs.daemonConf(volume.mountPoint());
    keys.forEach(conf::set);
    StartupOption.FORMAT.setClusterId("CID-of-the-test");
    try {
      for (String name : NAMES) {
        nameNodes.add(startNameNode(nameDirectory.resolve(name)));
      }
    } finally {
      StartupOption.FORMAT.setClusterId("");
    }
    conf.set("dfs.nameservices", String.join(",", NAMES));
    for (int i = 0; i < NAMES.size(); i++) {
      conf.set("dfs.namenode.rpc-address." + NAMES.get(i), uri(i).getAuthority());
    }
    conf.set("fs.defaultFS", uri(0).toString());
    dataNode = DataNode.createDataNode(new String[0], conf);
    try (DistributedFileSystem one = open(0, conf);
        DistributedFileSystem two = open(1, conf)) {
      await()
          .atMost(Duration.ofMinutes(1))
          .until(
              () ->
                  dataNode.isDatanodeFullyStarted(true)
                      && one.getDataNodeStats().length == 1
                      && two.getDataNodeStats().length == 1);
    }
  }

  private NameNode startNameNode(Path folder) throws IOException {
    Configuration own = new HdfsConfiguration(conf);
    own.set("fs.defaultFS", "hdfs://127.0.0.1:0");
    own.set("dfs.namenode.name.dir", folder.toUri().toString());
    NameNode.format(own);
    return NameNode.createNameNode(new String[0], own);
  }

  URI uri(int i) {
    return URI.create("hdfs://127.0.0.1:" + nameNodes.get(i).getNameNodeAddress().getPort());
  }

  String poolId(int i) {
    return nameNodes.get(i).getNamesystem().getBlockPoolId();
  }

  /** What names both. */
  Configuration conf() {
    return conf;
  }

  /** Clients of it read by RDIO and wait for their maps. */
  Configuration rdioConf() {
    return InJvmHdfs.rdioConf(conf, dataNode);
  }

  /** A client of one of the NameNodes that reads as stock HDFS does. */
  DistributedFileSystem stock(int i) throws IOException {
    return open(i, conf);
  }

  /** A client of one of the NameNodes that reads by RDIO and waits for its maps. */
  DistributedFileSystem rdio(int i) throws IOException {
    return open(i, rdioConf());
  }

  private DistributedFileSystem open(int i, Configuration of) throws IOException {
    return (DistributedFileSystem) FileSystem.newInstance(uri(i), of);
  }

  @Override
  public void close() {
    dataNode.shutdown();
    nameNodes.forEach(
        nameNode -> {
          nameNode.stop();
          nameNode.join();
        });
  }
}
