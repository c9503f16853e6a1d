// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.locate;

import static io.rdio.core.testing.Patience.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.CommonConfigurationKeysPublic;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.namenode.NameNode;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;

/** A real NameNode and real DataNodes in this JVM, on free ports of the loopback address. */
public final class SmallCluster implements AutoCloseable {
  public static final int BLOCK_BYTES = 1 << 20;

  static {
    // The last daemon of a JVM takes all sources of metrics away as it ends, also other tests'.
    DefaultMetricsSystem.initialize("test");
  }

  private final NameNode nameNode;
  private final List<DataNode> dataNodes = new ArrayList<>();
  private final Configuration conf;

  public SmallCluster(Path folder, int dataNodeCount) throws IOException {
    this(folder, dataNodeCount, Map.of());
  }

  /**
   * The same with keys of its own.
   *
   * @param keys of the daemons
   */
  public SmallCluster(Path folder, int dataNodeCount, Map<String, String> keys) throws IOException {
    DefaultMetricsSystem.setMiniClusterMode(true);
    Configuration server = new HdfsConfiguration();
    server.set(CommonConfigurationKeysPublic.FS_DEFAULT_NAME_KEY, "hdfs://127.0.0.1:0");
    server.set(DFSConfigKeys.DFS_NAMENODE_HTTP_ADDRESS_KEY, "127.0.0.1:0");
    server.set(DFSConfigKeys.DFS_NAMENODE_NAME_DIR_KEY, folder.resolve("name").toUri().toString());
    server.setLong(DFSConfigKeys.DFS_NAMENODE_MIN_BLOCK_SIZE_KEY, 1);
    server.setBoolean(DFSConfigKeys.DFS_BLOCK_ACCESS_TOKEN_ENABLE_KEY, true);
    // Tests count on each DataNode, however busy it looks beside the others.
    server.setBoolean(DFSConfigKeys.DFS_NAMENODE_REDUNDANCY_CONSIDERLOAD_KEY, false);
    server.set(DFSConfigKeys.DFS_DATANODE_ADDRESS_KEY, "127.0.0.1:0");
    server.set(DFSConfigKeys.DFS_DATANODE_HTTP_ADDRESS_KEY, "127.0.0.1:0");
    server.set(DFSConfigKeys.DFS_DATANODE_IPC_ADDRESS_KEY, "127.0.0.1:0");
    keys.forEach(server::set);
    NameNode.format(server);
    nameNode = NameNode.createNameNode(new String[0], server);
    String uri = "hdfs://127.0.0.1:" + nameNode.getNameNodeAddress().getPort();
    for (int i = 0; i < dataNodeCount; i++) {
      Configuration own = new Configuration(server);
      own.set(CommonConfigurationKeysPublic.FS_DEFAULT_NAME_KEY, uri);
      Path data = Files.createDirectories(folder.resolve("data" + i));
      own.set(DFSConfigKeys.DFS_DATANODE_DATA_DIR_KEY, data.toUri().toString());
      dataNodes.add(DataNode.createDataNode(new String[0], own));
    }
    conf = new HdfsConfiguration();
    conf.set(CommonConfigurationKeysPublic.FS_DEFAULT_NAME_KEY, uri);
    conf.setLong(DFSConfigKeys.DFS_BLOCK_SIZE_KEY, BLOCK_BYTES);
    conf.setLong(DFSConfigKeys.DFS_NAMENODE_MIN_BLOCK_SIZE_KEY, 1);
    conf.setInt(DFSConfigKeys.DFS_REPLICATION_KEY, Math.min(2, dataNodeCount));
    conf.setBoolean("fs.hdfs.impl.disable.cache", true);
  }

  /** Whether all DataNodes have reported to the NameNode. */
  public boolean isUp() {
    return nameNode.getNamesystem().getNumLiveDataNodes() == dataNodes.size()
        && dataNodes.stream().allMatch(DataNode::isDatanodeFullyStarted);
  }

  /** One of its DataNodes. */
  public DataNode dataNode(int number) {
    return dataNodes.get(number);
  }

  /** A new configuration of a client. */
  public Configuration conf() {
    return new Configuration(conf);
  }

  public static DistributedFileSystem open(Configuration conf) throws IOException {
    return (DistributedFileSystem) org.apache.hadoop.fs.FileSystem.get(conf);
  }

  public static org.apache.hadoop.fs.Path write(
      DistributedFileSystem fs, String name, long length, long blockBytes) throws IOException {
    org.apache.hadoop.fs.Path path = new org.apache.hadoop.fs.Path(name);
    byte[] bytes = new byte[(int) length];
    try (FSDataOutputStream out =
        fs.create(path, true, 4096, fs.getDefaultReplication(path), blockBytes)) {
      out.write(bytes);
    }
    if (!fs.getFileStatus(path).isErasureCoded()) {
      await("all replicas are reported, which a close does not wait for")
          .until(() -> isReplicated(fs, path));
    }
    return path;
  }

  private static boolean isReplicated(DistributedFileSystem fs, org.apache.hadoop.fs.Path path)
      throws IOException {
    int replicas = fs.getFileStatus(path).getReplication();
    for (BlockLocation block : fs.getFileBlockLocations(path, 0, Long.MAX_VALUE)) {
      if (block.getNames().length < replicas) {
        return false;
      }
    }
    return true;
  }

  @Override
  public void close() {
    dataNodes.forEach(DataNode::shutdown);
    nameNode.stop();
    // Or the next NameNode of this JVM would take another name for them.
    DefaultMetricsSystem.instance().unregisterSource("NameNodeActivity");
  }
}
