// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.datanode;

import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.rdio.core.testing.LoopFileSystem;
import io.rdio.core.wire.ProtocolVersion;
import io.rdio.core.wire.proto.BlockGrant;
import io.rdio.core.wire.proto.BlockId;
import io.rdio.core.wire.proto.BlockRequest;
import io.rdio.core.wire.proto.GrantReply;
import io.rdio.core.wire.proto.GrantRequest;
import io.rdio.core.wire.proto.MetadataPlaneGrpc;
import io.rdio.hdfs.RdioConfigKeys;
import io.rdio.hdfs.client.RdioReplicaAccessorBuilder;
import io.rdio.hdfs.it.Fsck;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import javax.management.JMException;
import javax.management.ObjectName;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.namenode.NameNode;
import org.apache.hadoop.io.DataOutputBuffer;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;

/** A NameNode and a DataNode with the plugin in this JVM, the DataNode on a volume of its own. */
final class InJvmHdfs implements AutoCloseable {
  static final String CLIENT = "client-of-the-test";

  final NameNode nameNode;
  DataNode dataNode;
  final DistributedFileSystem fileSystem;
  private final Configuration conf;
  private final ManagedChannel channel;

  InJvmHdfs(LoopFileSystem volume, Path nameDirectory, Map<String, String> keys)
      throws IOException {
    this(volume.mountPoint(), nameDirectory, keys);
  }

  /**
   * @param mountPoint of the DataNode's volume
   */
  InJvmHdfs(Path mountPoint, Path nameDirectory, Map<String, String> keys) throws IOException {
    conf = daemonConf(mountPoint);
    conf.set("fs.defaultFS", "hdfs://127.0.0.1:0");
    conf.set("dfs.namenode.name.dir", nameDirectory.toUri().toString());
    keys.forEach(conf::set);
    NameNode.format(conf);
    nameNode = NameNode.createNameNode(new String[0], conf);
    conf.set("fs.defaultFS", "hdfs://127.0.0.1:" + nameNode.getNameNodeAddress().getPort());
    dataNode = DataNode.createDataNode(new String[0], conf);
    fileSystem = (DistributedFileSystem) FileSystem.newInstance(conf);
    awaitDataNode();
    channel =
        NettyChannelBuilder.forAddress("127.0.0.1", Math.max(1, metadataPort(dataNode)))
            .usePlaintext()
            .build();
  }

  private void awaitDataNode() {
    await()
        .atMost(Duration.ofMinutes(1))
        .until(
            () ->
                // The first heartbeat's answer: before it the DataNode may have no block keys yet.
                dataNode.isDatanodeFullyStarted(true) && fileSystem.getDataNodeStats().length == 1);
  }

  /**
   * Another DataNode on the same volume, on other ports. What asks the plane still asks the old.
   */
  void restartDataNode() throws IOException {
    stopDataNode();
    startDataNode();
  }

  /** Its volume is nobody's until the next one is started. */
  void stopDataNode() {
    dataNode.shutdown();
  }

  void startDataNode() throws IOException {
    dataNode = DataNode.createDataNode(new String[0], conf);
    awaitDataNode();
  }

  /** What {@code hdfs fsck} says of all files. */
  String fsck() throws Exception {
    Configuration web = new Configuration(conf);
    web.set("dfs.namenode.http-address", "127.0.0.1:" + nameNode.getHttpAddress().getPort());
    return Fsck.ofAllFiles(web);
  }

  /**
   * What daemons of one JVM have in common, all on ports that are free.
   *
   * @param mountPoint of the DataNode's volume
   */
  static Configuration daemonConf(Path mountPoint) {
    // Else the metrics of two daemons in one JVM clash.
    DefaultMetricsSystem.setMiniClusterMode(true);
    Configuration conf = new HdfsConfiguration();
    conf.set("dfs.namenode.http-address", "127.0.0.1:0");
    conf.set("dfs.datanode.data.dir", mountPoint.resolve("data").toUri().toString());
    for (String server : List.of("address", "http.address", "ipc.address", "rdio.address")) {
      conf.set("dfs.datanode." + server, "127.0.0.1:0");
    }
    conf.set("dfs.datanode.plugins", RdioDataNodePlugin.class.getName());
    conf.set("dfs.datanode.rdio.recall.check.interval", "50ms");
    conf.set("dfs.heartbeat.interval", "1s");
    conf.set("dfs.replication", "1");
    conf.set("dfs.datanode.round-robin-volume-choosing-policy.additional-available-space", "0");
    conf.set("dfs.blocksize", "4m");
    return conf;
  }

  /** What a client needs to read by RDIO, and to wait for its maps. */
  Configuration rdioConf() {
    return rdioConf(fileSystem.getConf(), dataNode);
  }

  /** The same for clients of any HDFS of this JVM with one DataNode. */
  static Configuration rdioConf(Configuration stock, DataNode dataNode) {
    Configuration conf = new Configuration(stock);
    conf.set(
        "dfs.client.replica.accessor.builder.classes", RdioReplicaAccessorBuilder.class.getName());
    conf.setBoolean(RdioConfigKeys.CLIENT_ENABLED.name(), true);
    conf.setInt(RdioConfigKeys.CLIENT_DATANODE_PORT.name(), metadataPort(dataNode));
    conf.set(RdioConfigKeys.CLIENT_FIRST_BYTES.name(), "0");
    conf.set(RdioConfigKeys.CLIENT_DEVICE_AFTER.name(), "0");
    return conf;
  }

  /** Of the plugin in a DataNode of this JVM; 0 when it is not up. */
  static int metadataPort(DataNode dataNode) {
    return metric(dataNode, "PluginUp").equals(1)
        ? (Integer) metric(dataNode, "MetadataPlanePort")
        : 0;
  }

  /** As it is in the DataNode's /jmx. */
  Object metric(String name) {
    return metric(dataNode, name);
  }

  private static Object metric(DataNode dataNode, String name) {
    try {
      ObjectName bean =
          new ObjectName("Hadoop:service=DataNode,name=RdioDataNode-" + dataNode.getXferPort());
      return ManagementFactory.getPlatformMBeanServer().getAttribute(bean, name);
    } catch (JMException e) {
      throw new IllegalStateException(e);
    }
  }

  MetadataPlaneGrpc.MetadataPlaneBlockingStub plane() {
    return MetadataPlaneGrpc.newBlockingStub(channel).withDeadlineAfter(30, TimeUnit.SECONDS);
  }

  MetadataPlaneGrpc.MetadataPlaneStub asyncPlane() {
    return MetadataPlaneGrpc.newStub(channel);
  }

  org.apache.hadoop.fs.Path write(String name, byte[] content) throws IOException {
    org.apache.hadoop.fs.Path path = new org.apache.hadoop.fs.Path("/" + name);
    try (FSDataOutputStream out = fileSystem.create(path)) {
      out.write(content);
    }
    return path;
  }

  static byte[] randomBytes(int length) {
    byte[] bytes = new byte[length];
    new Random(length).nextBytes(bytes);
    return bytes;
  }

  LocatedBlock lastBlock(org.apache.hadoop.fs.Path path) throws IOException {
    return fileSystem.getClient().getLocatedBlocks(path.toString(), 0).getLastLocatedBlock();
  }

  static byte[] token(LocatedBlock block) throws IOException {
    DataOutputBuffer out = new DataOutputBuffer();
    block.getBlockToken().write(out);
    return Arrays.copyOf(out.getData(), out.getLength());
  }

  BlockGrant grant(LocatedBlock block) throws IOException {
    return grant(block.getBlock(), token(block));
  }

  BlockGrant grant(ExtendedBlock block, byte[] token) {
    return grant(plane(), block, token);
  }

  /** As a client asks that waits no longer than this. */
  BlockGrant grantWithin(Duration time, LocatedBlock block) throws IOException {
    return grant(
        MetadataPlaneGrpc.newBlockingStub(channel)
            .withDeadlineAfter(time.toMillis(), TimeUnit.MILLISECONDS),
        block.getBlock(),
        token(block));
  }

  private static BlockGrant grant(
      MetadataPlaneGrpc.MetadataPlaneBlockingStub plane, ExtendedBlock block, byte[] token) {
    GrantReply reply =
        plane.grant(
            GrantRequest.newBuilder()
                .setProtocolVersion(ProtocolVersion.CURRENT)
                .setClientId(CLIENT)
                .addBlocks(
                    BlockRequest.newBuilder()
                        .setBlock(
                            BlockId.newBuilder()
                                .setPoolId(block.getBlockPoolId())
                                .setBlockId(block.getBlockId())
                                .setGenerationStamp(block.getGenerationStamp()))
                        .setToken(ByteString.copyFrom(token)))
                .build());
    return reply.getBlocks(0);
  }

  @Override
  public void close() throws IOException {
    channel.shutdownNow();
    try {
      fileSystem.close();
    } finally {
      dataNode.shutdown();
      nameNode.stop();
      nameNode.join();
    }
  }
}
