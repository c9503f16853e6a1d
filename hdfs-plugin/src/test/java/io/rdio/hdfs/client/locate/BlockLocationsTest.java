// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.locate;

import static io.rdio.core.testing.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rdio.client.filemap.BlockLocation;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockKey;
import io.rdio.core.block.BlockRequest;
import io.rdio.core.block.TokenedBlock;
import io.rdio.hdfs.RdioConfigKeys;
import io.rdio.hdfs.client.MetricsReader;
import io.rdio.hdfs.client.RdioReplicaAccessorBuilder;
import io.rdio.hdfs.client.RecordingIPFailoverProxyProvider;
import io.rdio.hdfs.client.namenode.NameNodes;
import io.rdio.hdfs.client.namenode.RecordedBlocks;
import io.rdio.hdfs.client.stock.StockBlocks;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.security.PrivilegedAction;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.client.HdfsClientConfigKeys;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedStripedBlock;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenIdentifier;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.token.Token;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Both ways to learn locations, against a real NameNode with block tokens. */
class BlockLocationsTest {
  private static final int BLOCK = SmallCluster.BLOCK_BYTES;

  @TempDir static Path folder;
  private static SmallCluster cluster;

  @BeforeAll
  static void start() throws Exception {
    cluster = new SmallCluster(folder, 3);
    await().atMost(Duration.ofMinutes(1)).until(cluster::isUp);
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  @Test
  void whatAClientAskedForIsRecordedWithTokenAndFollowingBlocks() throws Exception {
    try (DistributedFileSystem fs = SmallCluster.open(recordingConf())) {
      List<LocatedBlock> blocks =
          blocksOf(fs, SmallCluster.write(fs, "/recorded", 3L * BLOCK, BLOCK));
      List<BlockLocation> found = new RecordedLocator().locate(request(blocks.get(0), "/any"));
      assertThat(found).hasSize(3);
      for (int i = 0; i < 3; i++) {
        assertMatches(found.get(i), blocks.get(i));
      }
      assertThat(new RecordedLocator().locate(request(blocks.get(2), "/any"))).hasSize(1);
      assertThat(new RecordedLocator().following(found.get(0).block())).isEqualTo(found.get(1));
      assertThat(new RecordedLocator().following(found.get(2).block())).isNull();
      assertThat(RecordedBlocks.now().nameservice(blocks.get(0).getBlock().getBlockPoolId()))
          .isEqualTo(fs.getUri());
    }
  }

  @Test
  void recordingChangesNothingForTheApplication() throws Exception {
    try (DistributedFileSystem plain = SmallCluster.open(cluster.conf());
        DistributedFileSystem recording = SmallCluster.open(recordingConf())) {
      SmallCluster.write(plain, "/same", BLOCK + 1, BLOCK);
      var path = new org.apache.hadoop.fs.Path("/same");
      assertThat(recording.getFileBlockLocations(path, 0, Long.MAX_VALUE))
          .extracting(Object::toString)
          .containsExactlyInAnyOrder(
              java.util.Arrays.stream(plain.getFileBlockLocations(path, 0, Long.MAX_VALUE))
                  .map(Object::toString)
                  .toArray(String[]::new));
      assertThat(recording.exists(new org.apache.hadoop.fs.Path("/nowhere"))).isFalse();
    }
  }

  @Test
  void whereRdioIsOffNothingIsRecorded() throws Exception {
    Configuration conf = recordingConf();
    conf.setBoolean(RdioConfigKeys.CLIENT_ENABLED.name(), false);
    try (DistributedFileSystem fs = SmallCluster.open(conf)) {
      List<LocatedBlock> blocks = blocksOf(fs, SmallCluster.write(fs, "/off", 10, BLOCK));
      assertThat(refusal(new RecordedLocator(), request(blocks.get(0), "/off")))
          .isEqualTo(FallbackReason.LOCATION_UNKNOWN);
    }
  }

  @Test
  void internalBlocksOfAGroupHaveTheirOwnDataNodeAndToken() throws Exception {
    try (DistributedFileSystem fs = SmallCluster.open(recordingConf())) {
      LocatedStripedBlock group = writeGroup(fs);
      Set<Object> dataNodes = new HashSet<>();
      for (int i = 0; i < group.getBlockIndices().length; i++) {
        byte index = group.getBlockIndices()[i];
        BlockKey key = key(group.getBlock(), index);
        BlockRequest request = new BlockRequest(new TokenedBlock(key), "/ec/f");
        assertThat(new RecordedLocator().following(key))
            .as("internal blocks of a group do not follow each other")
            .isNull();
        for (BlockLocation found :
            List.of(
                new RecordedLocator().locate(request).get(0),
                nameNodeLocator(cluster.conf()).locate(request).get(0))) {
          assertThat(found.block()).isEqualTo(key);
          assertThat(found.replicas()).hasSize(1);
          assertThat(found.replicas().get(0).dataNode().transferPort())
              .isEqualTo(group.getLocations()[i].getXferPort());
          assertThat(found.replicas().get(0).storageId()).isEqualTo(group.getStorageIDs()[i]);
          assertThat(tokenOf(found).decodeIdentifier().getBlockId()).isEqualTo(key.blockId());
          dataNodes.add(found.replicas().get(0).dataNode());
        }
      }
      assertThat(dataNodes).hasSize(3);
      LocatedBlock stock =
          stockBlocks(cluster.conf(), group)
              .locate(new BlockRequest(new TokenedBlock(key(group.getBlock(), 1)), "/ec/f"), true);
      assertThat(stock.getBlock().getBlockId()).isEqualTo(group.getBlock().getBlockId() + 1);
      assertThat(stock.getBlock().getNumBytes()).isEqualTo(BLOCK);
    }
  }

  /** Of three blocks, of a file {@code /ec/f}. */
  private static LocatedStripedBlock writeGroup(DistributedFileSystem fs) throws IOException {
    var folder = new org.apache.hadoop.fs.Path("/ec");
    fs.mkdirs(folder);
    fs.enableErasureCodingPolicy("XOR-2-1-1024k");
    fs.setErasureCodingPolicy(folder, "XOR-2-1-1024k");
    var file = SmallCluster.write(fs, "/ec/f", 3L * BLOCK, BLOCK);
    // The file is complete with its data blocks; the parity block is reported when it is.
    return await()
        .until(
            () -> (LocatedStripedBlock) blocksOf(fs, file).get(0),
            found -> found.getBlockIndices().length == 3);
  }

  @Test
  void theNameNodeIsAskedPageByPage() throws Exception {
    Configuration conf = cluster.conf();
    int count = 60;
    try (DistributedFileSystem fs = SmallCluster.open(conf)) {
      List<LocatedBlock> blocks = blocksOf(fs, SmallCluster.write(fs, "/many", count * 512L, 512));
      assertThat(blocks).hasSize(count);
      conf.setLong("dfs.blocksize", 512); // ten blocks in the first page
      NameNodeLocator locator = nameNodeLocator(conf);
      long before = calls();
      assertThat(locator.locate(request(blocks.get(3), "/many"))).hasSize(7);
      BlockLocation fourth = locator.following(request(blocks.get(3), "/many").block());
      assertMatches(Objects.requireNonNull(fourth), blocks.get(4));
      assertThat(calls() - before).isEqualTo(1);
      assertMatches(locator.locate(request(blocks.get(9), "/many")).get(0), blocks.get(9));
      assertThat(calls() - before).as("the page is kept").isEqualTo(1);
      for (LocatedBlock block : blocks.subList(10, count)) {
        assertMatches(locator.locate(request(block, "/many")).get(0), block);
      }
      assertThat(calls() - before).as("few questions for many blocks").isBetween(2L, 6L);
      NameNodeLocator other = nameNodeLocator(conf);
      assertMatches(
          other.locate(request(blocks.get(count - 1), "/many")).get(0), blocks.get(count - 1));
      assertThat(other.locate(request(blocks.get(0), "/many"))).isNotEmpty();
    }
  }

  @Test
  void aFileReplacedSinceItWasOpenedIsNotTakenForTheOldOne() throws Exception {
    try (DistributedFileSystem fs = SmallCluster.open(cluster.conf())) {
      LocatedBlock old = blocksOf(fs, SmallCluster.write(fs, "/replaced", 10, BLOCK)).get(0);
      SmallCluster.write(fs, "/replaced", 10, BLOCK);
      NameNodeLocator locator = nameNodeLocator(cluster.conf());
      assertThat(refusal(locator, request(old, "/replaced")))
          .isEqualTo(FallbackReason.LOCATION_UNKNOWN);
      long before = calls();
      assertThat(refusal(locator, request(old, "/replaced")))
          .isEqualTo(FallbackReason.LOCATION_UNKNOWN);
      assertThat(calls()).as("the absence is remembered").isEqualTo(before);
      assertThat(refusal(locator, request(old, "/no/such/file")))
          .isEqualTo(FallbackReason.LOCATION_UNKNOWN);
    }
  }

  /** As in an agent, one of whose processes opened the file before it was renamed. */
  @Test
  void aNameThatTheFileHasNoMoreHidesItsBlocksFromNobodyElse() throws Exception {
    try (DistributedFileSystem fs = SmallCluster.open(cluster.conf())) {
      LocatedBlock block = blocksOf(fs, SmallCluster.write(fs, "/before", 10, BLOCK)).get(0);
      fs.rename(new org.apache.hadoop.fs.Path("/before"), new org.apache.hadoop.fs.Path("/behind"));
      NameNodeLocator locator = nameNodeLocator(cluster.conf());
      assertThat(refusal(locator, request(block, "/before")))
          .isEqualTo(FallbackReason.LOCATION_UNKNOWN);
      assertMatches(locator.locate(request(block, "/behind")).get(0), block);
      assertMatches(locator.locate(request(block, "/before")).get(0), block);
    }
  }

  @Test
  void whatOneUserMayNotKnowIsHiddenFromThatUserOnly() throws Exception {
    try (DistributedFileSystem fs = SmallCluster.open(cluster.conf())) {
      LocatedBlock block = blocksOf(fs, SmallCluster.write(fs, "/secret", 10, BLOCK)).get(0);
      fs.setPermission(new org.apache.hadoop.fs.Path("/secret"), new FsPermission("600"));
      NameNodeLocator locator = nameNodeLocator(cluster.conf());
      BlockRequest request = request(block, "/secret");
      UserGroupInformation stranger = UserGroupInformation.createRemoteUser("stranger");
      PrivilegedAction<FallbackReason> ask = () -> refusal(locator, request);
      assertThat(stranger.doAs(ask)).isEqualTo(FallbackReason.LOCATION_UNKNOWN);
      long before = calls();
      assertThat(stranger.doAs(ask)).isEqualTo(FallbackReason.LOCATION_UNKNOWN);
      assertThat(calls()).as("the denial is remembered").isEqualTo(before);
      assertMatches(locator.locate(request).get(0), block);
    }
  }

  /** As in a failover. The locator leaves NameNodes that do not answer alone for much longer. */
  @Test
  void nameNodeThatIsNotActiveYetIsAskedAgainSoon() throws Exception {
    try (DistributedFileSystem fs = SmallCluster.open(cluster.conf());
        RelayNameNode hesitant = RelayNameNode.hesitant(fs.getClient().getNamenode())) {
      LocatedBlock block = blocksOf(fs, SmallCluster.write(fs, "/failover", 10, BLOCK)).get(0);
      Configuration conf = cluster.conf();
      conf.set("fs.defaultFS", hesitant.uri());
      BlockRequest request = request(block, "/failover");
      NameNodes nameNodes = nameNodes(conf);
      nameNodes.has(URI.create(hesitant.uri()), request.block().poolId()); // not as recorded
      NameNodeLocator locator =
          new NameNodeLocator(nameNodes, new RecentBlocks(), false, Duration.ofMinutes(5));
      assertThat(refusal(locator, request)).isEqualTo(FallbackReason.LOCATION_UNKNOWN);
      hesitant.becomeActive();
      List<BlockLocation> found =
          await()
              .ignoreExceptionsInstanceOf(FallbackException.class)
              .until(() -> locator.locate(request), all -> !all.isEmpty());
      assertMatches(found.get(0), block);
    }
  }

  /** Whose own NameNode knows no such path. */
  @Test
  void aRouterIsAskedForABlockOfAKnownPool() throws Exception {
    try (DistributedFileSystem fs = SmallCluster.open(cluster.conf());
        RelayNameNode router = RelayNameNode.router(fs.getClient().getNamenode(), "/mount")) {
      LocatedBlock block = blocksOf(fs, SmallCluster.write(fs, "/routed", 10, BLOCK)).get(0);
      NameNodes nameNodes = nameNodes(cluster.conf());
      Configuration routed = cluster.conf();
      routed.set("fs.defaultFS", router.uri());
      nameNodes.learn(routed);
      nameNodes.has(fs.getUri(), block.getBlock().getBlockPoolId());
      NameNodeLocator locator =
          new NameNodeLocator(nameNodes, new RecentBlocks(), false, Duration.ofMinutes(5));
      assertThat(refusal(locator, request(block, "/elsewhere/routed")))
          .isEqualTo(FallbackReason.LOCATION_UNKNOWN);
      assertMatches(locator.locate(request(block, "/mount/routed")).get(0), block);
      StockBlocks stock =
          new StockBlocks(nameNodes, new RecentBlocks(), block.getBlock().getBlockPoolId());
      assertThat(stock.locate(request(block, "/mount/routed"), true).getBlock())
          .isEqualTo(block.getBlock());
    }
  }

  @Test
  void aNameserviceThatIsDownDoesNotHideTheOneThatHasTheBlock() throws Exception {
    Configuration conf = cluster.conf();
    conf.set("fs.viewfs.mounttable.c.link./a", conf.get("fs.defaultFS") + "/a");
    conf.set("fs.viewfs.mounttable.c.link./b", "hdfs://127.0.0.1:1/b");
    conf.set("fs.defaultFS", "viewfs://c/");
    try (NameNodes nameNodes = new NameNodes(Duration.ofSeconds(1))) {
      nameNodes.learn(conf);
      assertThat(nameNodes.candidates("BP-of-any")).hasSize(2);
    }
    try (DistributedFileSystem fs = SmallCluster.open(cluster.conf())) {
      LocatedBlock block = blocksOf(fs, SmallCluster.write(fs, "/a/f", 10, BLOCK)).get(0);
      assertMatches(nameNodeLocator(conf).locate(request(block, "/a/f")).get(0), block);
    }
  }

  /** As its reader's stream does, which was told where its blocks are when it was opened. */
  @Test
  void stockReadsFindBlocksOfAFileDeletedSince() throws Exception {
    try (DistributedFileSystem fs = SmallCluster.open(cluster.conf())) {
      LocatedBlock block = blocksOf(fs, SmallCluster.write(fs, "/deleted", 10, BLOCK)).get(0);
      RecentBlocks recent = new RecentBlocks();
      nameNodeLocator(cluster.conf(), recent).locate(request(block, "/deleted"));
      fs.delete(new org.apache.hadoop.fs.Path("/deleted"), false);
      StockBlocks stock =
          new StockBlocks(nameNodes(cluster.conf()), recent, block.getBlock().getBlockPoolId());
      LocatedBlock found = stock.locate(request(block, "/deleted"), false);
      assertThat(found.getBlock()).isEqualTo(block.getBlock());
      assertThat(found.getLocations()).containsExactlyInAnyOrder(block.getLocations());
      assertThatThrownBy(() -> stock.locate(request(block, "/deleted"), true))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("does not know");
    }
  }

  @Test
  void ownClientsBuildNoReplicaAccessors() throws Exception {
    Configuration conf = cluster.conf();
    conf.set(
        HdfsClientConfigKeys.REPLICA_ACCESSOR_BUILDER_CLASSES_KEY,
        RdioReplicaAccessorBuilder.class.getName());
    try (DistributedFileSystem fs = SmallCluster.open(conf)) {
      LocatedBlock block = blocksOf(fs, SmallCluster.write(fs, "/own", 10, BLOCK)).get(0);
      StockBlocks stock = stockBlocks(conf, block);
      assertThat(fs.getClient().getConf().getReplicaAccessorBuilderClasses()).isNotEmpty();
      assertThat(stock.locate(request(block, "/own"), false).getBlock())
          .isEqualTo(block.getBlock());
      assertThat(stock.client().getConf().getReplicaAccessorBuilderClasses()).isEmpty();
    }
  }

  private static Configuration recordingConf() {
    Configuration conf = cluster.conf();
    conf.setBoolean(RdioConfigKeys.CLIENT_ENABLED.name(), true);
    conf.set(
        HdfsClientConfigKeys.Failover.PROXY_PROVIDER_KEY_PREFIX + ".127.0.0.1",
        RecordingIPFailoverProxyProvider.class.getName());
    return conf;
  }

  private static NameNodeLocator nameNodeLocator(Configuration conf) {
    return nameNodeLocator(conf, new RecentBlocks());
  }

  private static NameNodeLocator nameNodeLocator(Configuration conf, RecentBlocks recent) {
    return new NameNodeLocator(nameNodes(conf), recent, false, Duration.ofSeconds(30));
  }

  private static NameNodes nameNodes(Configuration conf) {
    NameNodes nameNodes = new NameNodes(Duration.ofSeconds(20));
    nameNodes.learn(conf);
    return nameNodes;
  }

  private static StockBlocks stockBlocks(Configuration conf, LocatedBlock block) {
    return new StockBlocks(nameNodes(conf), new RecentBlocks(), block.getBlock().getBlockPoolId());
  }

  private static List<LocatedBlock> blocksOf(
      DistributedFileSystem fs, org.apache.hadoop.fs.Path path) throws Exception {
    return fs.getClient()
        .getLocatedBlocks(path.toUri().getPath(), 0, Long.MAX_VALUE)
        .getLocatedBlocks();
  }

  /** How often the NameNode was asked for block locations. */
  private static long calls() {
    return MetricsReader.value("NameNodeActivity", "GetBlockLocations");
  }

  private static void assertMatches(BlockLocation found, LocatedBlock expected) throws Exception {
    assertThat(found.block()).isEqualTo(key(expected.getBlock(), 0));
    assertThat(found.replicas())
        .extracting(replica -> replica.dataNode().transferPort() + " " + replica.storageId())
        .containsExactlyInAnyOrder(
            java.util.Arrays.stream(expected.getLocations())
                .map(dataNode -> dataNode.getXferPort() + " " + dataNode.getStorageID())
                .toArray(String[]::new));
    assertThat(tokenOf(found).decodeIdentifier().getBlockId()).isEqualTo(found.block().blockId());
  }

  private static Token<BlockTokenIdentifier> tokenOf(BlockLocation location) throws Exception {
    Token<BlockTokenIdentifier> token = new Token<>();
    token.readFields(new DataInputStream(new ByteArrayInputStream(location.tokened().token())));
    return token;
  }

  private static BlockRequest request(LocatedBlock block, String file) {
    return new BlockRequest(new TokenedBlock(key(block.getBlock(), 0)), file);
  }

  private static BlockKey key(ExtendedBlock block, int index) {
    return new BlockKey(
        block.getBlockPoolId(), block.getBlockId() + index, block.getGenerationStamp());
  }

  private static FallbackReason refusal(
      io.rdio.client.filemap.BlockLocator locator, BlockRequest request) {
    return catchThrowableOfType(FallbackException.class, () -> locator.locate(request)).reason();
  }
}
