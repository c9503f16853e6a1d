// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.stock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rdio.core.block.BlockKey;
import io.rdio.core.block.BlockRequest;
import io.rdio.core.block.TokenedBlock;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.DFSClient;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.ReplicaAccessor;
import org.apache.hadoop.hdfs.ReplicaAccessorBuilder;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.namenode.NameNode;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Stock reads of blocks from a real DataNode. */
class DataNodeReaderOpenerIT {
  private static final int BLOCK = 1 << 20;
  private static final int LAST_BLOCK = 300_001;
  private static final String BUILDERS = "dfs.client.replica.accessor.builder.classes";

  @TempDir static Path folder;
  private static Configuration conf;
  private static NameNode nameNode;
  private static DataNode dataNode;

  /** Never builds; its being configured is what matters. */
  public static final class SomeBuilder extends ReplicaAccessorBuilder {
    @Override
    public ReplicaAccessorBuilder setFileName(String fileName) {
      return this;
    }

    @Override
    public ReplicaAccessorBuilder setBlock(long blockId, String blockPoolId) {
      return this;
    }

    @Override
    public ReplicaAccessorBuilder setGenerationStamp(long generationStamp) {
      return this;
    }

    @Override
    public ReplicaAccessorBuilder setVerifyChecksum(boolean verifyChecksum) {
      return this;
    }

    @Override
    public ReplicaAccessorBuilder setClientName(String clientName) {
      return this;
    }

    @Override
    public ReplicaAccessorBuilder setAllowShortCircuitReads(boolean allowShortCircuit) {
      return this;
    }

    @Override
    public ReplicaAccessorBuilder setVisibleLength(long visibleLength) {
      return this;
    }

    @Override
    public ReplicaAccessorBuilder setConfiguration(Configuration conf) {
      return this;
    }

    @Override
    public ReplicaAccessorBuilder setBlockAccessToken(byte[] token) {
      return this;
    }

    @Override
    public @Nullable ReplicaAccessor build() {
      return null;
    }
  }

  @BeforeAll
  static void start() throws Exception {
    conf = new Configuration();
    conf.set("fs.defaultFS", "hdfs://127.0.0.1:0");
    conf.set("dfs.namenode.name.dir", folder.resolve("name").toUri().toString());
    conf.set("dfs.datanode.data.dir", folder.resolve("data").toUri().toString());
    conf.set("dfs.namenode.fs-limits.min-block-size", "1");
    conf.setInt("dfs.replication", 1);
    conf.setInt("dfs.blocksize", BLOCK);
    conf.set("dfs.namenode.http-address", "127.0.0.1:0");
    conf.set("dfs.datanode.address", "127.0.0.1:0");
    conf.set("dfs.datanode.ipc.address", "127.0.0.1:0");
    conf.set("dfs.datanode.http.address", "127.0.0.1:0");
    DefaultMetricsSystem.setMiniClusterMode(true); // format and start each register the same
    NameNode.format(conf);
    nameNode = NameNode.createNameNode(new String[0], conf);
    InetSocketAddress address = nameNode.getNameNodeAddress();
    conf.set("fs.defaultFS", "hdfs://127.0.0.1:" + address.getPort());
    dataNode = DataNode.createDataNode(new String[0], conf);
    await().atMost(Duration.ofMinutes(1)).until(dataNode::isDatanodeFullyStarted);
  }

  @AfterAll
  static void stop() {
    if (dataNode != null) {
      dataNode.shutdown();
    }
    if (nameNode != null) {
      nameNode.stop();
    }
    DefaultMetricsSystem.setMiniClusterMode(false);
  }

  @Test
  void everyRangeIsWhatWasWritten() throws Exception {
    byte[] content = write("/ranges", BLOCK + LAST_BLOCK);
    try (Cluster cluster = new Cluster("/ranges", 1)) {
      byte[] block = Arrays.copyOfRange(content, BLOCK, content.length);
      StockReplicaReader reader = cluster.reader(LAST_BLOCK);
      int[][] ranges = {
        {0, 1}, {1, 4096}, {4097, 1}, {100_000, 200_001}, {512, 512}, {0, LAST_BLOCK}
      };
      for (int[] range : ranges) {
        ByteBuffer target = ByteBuffer.allocate(range[1]);
        reader.readFully(range[0], target);
        assertThat(target.array())
            .isEqualTo(Arrays.copyOfRange(block, range[0], range[0] + range[1]));
      }
      reader.close();
      assertThat(reader.networkDistance()).isLessThan(Integer.MAX_VALUE);
    }
  }

  @Test
  void corruptReplicaIsAPlainFailureAndReported() throws Exception {
    write("/corrupt", LAST_BLOCK);
    try (Cluster cluster = new Cluster("/corrupt", 0)) {
      corrupt(cluster.located.getBlock());
      StockReplicaReader reader = cluster.reader(LAST_BLOCK);
      assertThatThrownBy(() -> reader.readFully(0, ByteBuffer.allocate(LAST_BLOCK)))
          .isExactlyInstanceOf(IOException.class)
          .hasMessageContaining("corrupt");
      assertThat(cluster.client.getLocatedBlocks("/corrupt", 0).get(0).isCorrupt()).isTrue();
    }
  }

  @Test
  void clientThatWouldComeBackToUsIsRefused() throws Exception {
    write("/builders", 100);
    Configuration withBuilder = new Configuration(conf);
    withBuilder.set(BUILDERS, SomeBuilder.class.getName());
    try (Cluster cluster = new Cluster("/builders", 0, withBuilder)) {
      assertThatThrownBy(() -> cluster.reader(100).readFully(0, ByteBuffer.allocate(100)))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("accessors itself");
    }
  }

  private static byte[] write(String name, int length) throws IOException {
    byte[] content = new byte[length];
    new Random(length).nextBytes(content);
    try (DistributedFileSystem fs = new DistributedFileSystem()) {
      fs.initialize(URI.create(conf.get("fs.defaultFS")), conf);
      try (OutputStream out = fs.create(new org.apache.hadoop.fs.Path(name))) {
        out.write(content);
      }
    }
    return content;
  }

  private static void corrupt(ExtendedBlock block) throws IOException {
    try (Stream<Path> files = Files.walk(folder.resolve("data"))) {
      Path file =
          files
              .filter(path -> path.endsWith("blk_" + block.getBlockId()))
              .findFirst()
              .orElseThrow();
      byte[] bytes = Files.readAllBytes(file);
      bytes[1000] ^= 1;
      Files.write(file, bytes);
    }
  }

  /** One block of a file, as a source of stock reads. */
  private static final class Cluster implements StockBlockSource, AutoCloseable {
    private final Configuration clientConf;
    private final DFSClient client;
    final LocatedBlock located;

    Cluster(String file, int index) throws IOException {
      this(file, index, conf);
    }

    Cluster(String file, int index, Configuration clientConf) throws IOException {
      this.clientConf = clientConf;
      client = new DFSClient(URI.create(conf.get("fs.defaultFS")), clientConf);
      located = client.getLocatedBlocks(file, 0, Long.MAX_VALUE).get(index);
    }

    StockReplicaReader reader(long length) {
      ExtendedBlock block = located.getBlock();
      BlockKey key =
          new BlockKey(block.getBlockPoolId(), block.getBlockId(), block.getGenerationStamp());
      return new StockReplicaReader(
          new StockBlock(
              this, opener("/file", true), new BlockRequest(new TokenedBlock(key), "/file")),
          length);
    }

    @Override
    public DFSClient client() {
      return client;
    }

    @Override
    public Configuration configuration() {
      return clientConf;
    }

    @Override
    public LocatedBlock locate(BlockRequest request, boolean fresh) {
      return located;
    }

    @Override
    public void close() throws IOException {
      client.close();
    }
  }
}
