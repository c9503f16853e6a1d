// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.namenode;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.hdfs.RdioConfigKeys;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.protocol.DatanodeID;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo.DatanodeInfoBuilder;
import org.apache.hadoop.hdfs.protocol.DatanodeInfoWithStorage;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlocks;
import org.apache.hadoop.hdfs.protocol.proto.ClientNamenodeProtocolProtos.GetBlockLocationsResponseProto;
import org.apache.hadoop.hdfs.protocolPB.ClientNamenodeProtocolPB;
import org.apache.hadoop.hdfs.protocolPB.PBHelperClient;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenIdentifier;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.security.token.Token;
import org.junit.jupiter.api.Test;

/** What the translator makes of replies of a NameNode, as they come over the wire. */
class UnlistedBlocksTest {
  private static final Token<BlockTokenIdentifier> TOKEN =
      new Token<>(new byte[] {1}, new byte[] {2}, new Text("HDFS_BLOCK_TOKEN"), new Text("s"));

  private static LocatedBlock block(long id, boolean corrupt, int dataNodes) {
    DatanodeInfo[] where = new DatanodeInfo[dataNodes];
    String[] storages = new String[dataNodes];
    StorageType[] types = new StorageType[dataNodes];
    for (int i = 0; i < dataNodes; i++) {
      DatanodeID node = new DatanodeID("10.0.0." + i, "dn" + i, "uuid" + i, 9866, 9864, 0, 9867);
      where[i] = new DatanodeInfoBuilder().setNodeID(node).build();
      storages[i] = "DS-" + i;
      types[i] = StorageType.DISK;
    }
    LocatedBlock block =
        new LocatedBlock(
            new ExtendedBlock("BP-1", id, 512, 1001),
            where,
            storages,
            types,
            512 * id,
            corrupt,
            new DatanodeInfo[0]);
    block.setBlockToken(TOKEN);
    return block;
  }

  /** As a client gets it. */
  private static List<LocatedBlock> reply(
      boolean supplies, boolean written, boolean complete, LocatedBlock... blocks)
      throws Exception {
    List<LocatedBlock> all = new ArrayList<>(List.of(blocks));
    LocatedBlocks located =
        new LocatedBlocks(
            512L * blocks.length, written, all, blocks[blocks.length - 1], complete, null, null);
    GetBlockLocationsResponseProto wire =
        GetBlockLocationsResponseProto.newBuilder()
            .setLocations(PBHelperClient.convert(located))
            .build();
    ClientNamenodeProtocolPB nameNode =
        (ClientNamenodeProtocolPB)
            Proxy.newProxyInstance(
                UnlistedBlocksTest.class.getClassLoader(),
                new Class<?>[] {ClientNamenodeProtocolPB.class},
                (proxy, method, arguments) -> wire);
    SupplyingTranslator translator = new SupplyingTranslator(nameNode, supplies);
    return Objects.requireNonNull(translator.getBlockLocations("/file", 0, 1)).getLocatedBlocks();
  }

  private static void assertUntouched(List<LocatedBlock> blocks) {
    assertThat(blocks).allSatisfy(block -> assertThat(block.getLocations()).isEmpty());
  }

  @Test
  void completeBlockWithoutLocationHasOneMadeUp() throws Exception {
    List<LocatedBlock> got = reply(true, false, true, block(0, false, 0), block(1, false, 0));
    assertThat(got).hasSize(2);
    for (int i = 0; i < 2; i++) {
      assertThat(got.get(i).getBlock()).isEqualTo(block(i, false, 0).getBlock());
      assertThat(got.get(i).getBlockSize()).isEqualTo(512);
      assertThat(got.get(i).getStartOffset()).isEqualTo(512L * i);
      assertThat(got.get(i).getBlockToken()).isEqualTo(TOKEN);
      assertThat(got.get(i).isCorrupt()).isFalse();
      assertThat(got.get(i).getLocations()).hasSize(1);
      assertThat(got.get(i).getStorageTypes()).hasSize(1);
      assertThat(UnlistedBlocks.isMadeUp(got.get(i).getLocations()[0])).isTrue();
    }
    assertThat(got.get(0).getLocations()[0])
        .as("who gives up one does not give up the other")
        .isNotEqualTo(got.get(1).getLocations()[0]);
  }

  @Test
  void listedBlocksStayAsTheyAre() throws Exception {
    List<LocatedBlock> got = reply(true, false, true, block(0, false, 2), block(1, false, 0));
    assertThat(got.get(0).getLocations())
        .extracting(DatanodeInfoWithStorage::getDatanodeUuid)
        .containsExactly("uuid0", "uuid1");
    assertThat(UnlistedBlocks.isMadeUp(got.get(0).getLocations()[0])).isFalse();
  }

  @Test
  void nothingIsMadeUpForWhatIsCorruptOrNotComplete() throws Exception {
    assertUntouched(reply(true, false, true, block(0, true, 0)));
    assertUntouched(reply(true, true, true, block(0, false, 0)));
    assertUntouched(reply(true, false, false, block(0, false, 0)));
  }

  @Test
  void nothingIsMadeUpWhereDataNodesAreAsked() throws Exception {
    assertUntouched(reply(false, false, true, block(0, false, 0)));
    Configuration conf = new Configuration(false);
    assertThat(UnlistedBlocks.areWanted(conf)).isFalse();
    conf.set(RdioConfigKeys.CLIENT_METADATA_PLANE.name(), "auto");
    assertThat(UnlistedBlocks.areWanted(conf)).isTrue();
    conf.set(RdioConfigKeys.CLIENT_METADATA_PLANE.name(), "device");
    assertThat(UnlistedBlocks.areWanted(conf)).isTrue();
    conf.set(RdioConfigKeys.CLIENT_METADATA_PLANE.name(), "nonsense");
    assertThat(UnlistedBlocks.areWanted(conf)).isFalse();
  }
}
