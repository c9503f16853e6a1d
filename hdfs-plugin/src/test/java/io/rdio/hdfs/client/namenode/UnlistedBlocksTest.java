// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.namenode;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.hdfs.RdioConfigKeys;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.protocol.DatanodeID;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo.DatanodeInfoBuilder;
import org.apache.hadoop.hdfs.protocol.DatanodeInfoWithStorage;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlocks;
import org.apache.hadoop.hdfs.protocol.LocatedStripedBlock;
import org.apache.hadoop.hdfs.protocol.SystemErasureCodingPolicies;
import org.apache.hadoop.hdfs.protocol.proto.ClientNamenodeProtocolProtos.GetBlockLocationsResponseProto;
import org.apache.hadoop.hdfs.protocolPB.ClientNamenodeProtocolPB;
import org.apache.hadoop.hdfs.protocolPB.PBHelperClient;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenIdentifier;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.security.token.Token;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What the translator makes of replies of a NameNode, as they come over the wire. */
class UnlistedBlocksTest {
  private static final Token<BlockTokenIdentifier> TOKEN =
      new Token<>(new byte[] {1}, new byte[] {2}, new Text("HDFS_BLOCK_TOKEN"), new Text("s"));

  private static final long GROUP_ID = -9223372036854775792L;

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

  private static List<LocatedBlock> reply(
      boolean supplies, boolean written, boolean complete, LocatedBlock... blocks)
      throws Exception {
    return reply(supplies, null, written, complete, blocks);
  }

  /** As a client gets it. */
  private static List<LocatedBlock> reply(
      boolean supplies,
      @Nullable ErasureCodingPolicy policy,
      boolean written,
      boolean complete,
      LocatedBlock... blocks)
      throws Exception {
    List<LocatedBlock> all = new ArrayList<>(List.of(blocks));
    SupplyingTranslator translator =
        new SupplyingTranslator(nameNode(policy, written, complete, all), supplies);
    return Objects.requireNonNull(translator.getBlockLocations("/file", 0, 1)).getLocatedBlocks();
  }

  /** One that answers with these. */
  private static ClientNamenodeProtocolPB nameNode(
      @Nullable ErasureCodingPolicy policy,
      boolean written,
      boolean complete,
      List<LocatedBlock> blocks) {
    LocatedBlock last = blocks.get(blocks.size() - 1);
    LocatedBlocks located =
        new LocatedBlocks(512L * blocks.size(), written, blocks, last, complete, null, policy);
    GetBlockLocationsResponseProto wire =
        GetBlockLocationsResponseProto.newBuilder()
            .setLocations(PBHelperClient.convert(located))
            .build();
    return (ClientNamenodeProtocolPB)
        Proxy.newProxyInstance(
            UnlistedBlocksTest.class.getClassLoader(),
            new Class<?>[] {ClientNamenodeProtocolPB.class},
            (proxy, method, arguments) -> wire);
  }

  /** As on a Hadoop that lacks a method. */
  @Test
  void applicationGetsItsAnswerWhateverGoesWrongHere() throws Exception {
    List<LocatedBlock> blocks = List.of(block(0, false, 1));
    SupplyingTranslator failing =
        new SupplyingTranslator(nameNode(null, false, true, blocks), true) {
          @Override
          protected void seen(LocatedBlocks seen) {
            throw new NoSuchMethodError("test");
          }
        };
    LocatedBlocks got = Objects.requireNonNull(failing.getBlockLocations("/file", 0, 1));
    assertThat(got.getLocatedBlocks()).hasSize(1);
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

  private static final int CELL = 1 << 20;

  /** A group at the reply's start, as the NameNode lists it. */
  private static LocatedStripedBlock group(
      long bytes, boolean corrupt, boolean tokens, int... indices) {
    LocatedBlock listed = block(0, corrupt, indices.length);
    byte[] narrow = new byte[indices.length];
    for (int i = 0; i < indices.length; i++) {
      narrow[i] = (byte) indices[i];
    }
    LocatedStripedBlock group =
        new LocatedStripedBlock(
            new ExtendedBlock("BP-1", GROUP_ID, bytes, 1001),
            listed.getLocations(),
            listed.getStorageIDs(),
            listed.getStorageTypes(),
            narrow,
            0,
            corrupt,
            new DatanodeInfo[0]);
    if (tokens) {
      group.setBlockToken(TOKEN);
      Token<BlockTokenIdentifier>[] own = group.getBlockTokens();
      Arrays.setAll(own, i -> tokenOf(indices[i]));
      group.setBlockTokens(own);
    }
    return group;
  }

  /** As a NameNode signs it for an internal block that it lists. */
  private static Token<BlockTokenIdentifier> tokenOf(int index) {
    byte[] identifier = {3, (byte) index};
    return new Token<>(identifier, TOKEN.getPassword(), TOKEN.getKind(), TOKEN.getService());
  }

  private static LocatedStripedBlock striped(boolean complete, LocatedStripedBlock group)
      throws Exception {
    ErasureCodingPolicy policy = SystemErasureCodingPolicies.getByName("RS-3-2-1024k");
    return (LocatedStripedBlock) reply(true, policy, false, complete, group).get(0);
  }

  private static List<Integer> madeUp(LocatedStripedBlock group) {
    List<Integer> indices = new ArrayList<>();
    for (int i = 0; i < group.getBlockIndices().length; i++) {
      if (UnlistedBlocks.isMadeUp(group.getLocations()[i])) {
        indices.add((int) group.getBlockIndices()[i]);
      }
    }
    return indices;
  }

  @Test
  void whatOfAGroupIsNotListedHasPlacesMadeUp() throws Exception {
    LocatedStripedBlock got = striped(true, group(4 * CELL, false, false, 4, 1));
    assertThat(got.getBlockIndices()).containsExactly(4, 1, 0, 2, 3);
    assertThat(madeUp(got)).containsExactly(0, 2, 3);
    assertThat(got.getLocations())
        .extracting(DatanodeInfoWithStorage::getDatanodeUuid)
        .startsWith("uuid0", "uuid1")
        .doesNotHaveDuplicates();
    assertThat(got.getStorageIDs()).containsExactly("DS-0", "DS-1", "", "", "");
    assertThat(got.getStorageTypes()).hasSize(5);
    assertThat(got.getBlockTokens())
        .hasSize(5)
        .allSatisfy(token -> assertThat(token.getIdentifier()).isEmpty());
    assertThat(got.getBlock()).isEqualTo(new ExtendedBlock("BP-1", GROUP_ID, 4 * CELL, 1001));
    assertThat(got.getBlockSize()).isEqualTo(4 * CELL);
    assertThat(got.isCorrupt()).isFalse();
  }

  @Test
  void groupOfWhichNothingIsListedHasAllMadeUp() throws Exception {
    assertThat(madeUp(striped(true, group(3 * CELL, false, false)))).containsExactly(0, 1, 2, 3, 4);
  }

  @Test
  void emptyInternalBlocksHaveNoPlaceAndParityHas() throws Exception {
    assertThat(madeUp(striped(true, group(CELL + 1, false, false)))).containsExactly(0, 1, 3, 4);
    assertThat(madeUp(striped(true, group(CELL, false, false, 0, 3)))).containsExactly(4);
    LocatedStripedBlock whole = group(4 * CELL, false, false, 0, 1, 2, 3, 4);
    assertThat(madeUp(striped(true, whole))).isEmpty();
  }

  @Test
  void whatHasAPlaceMadeUpHasTheGroupsToken() throws Exception {
    LocatedStripedBlock some = striped(true, group(4 * CELL, false, true, 4, 1));
    assertThat(madeUp(some)).containsExactly(0, 2, 3);
    assertThat(some.getBlockTokens()).containsExactly(tokenOf(4), tokenOf(1), TOKEN, TOKEN, TOKEN);
    assertThat(some.getBlockToken()).isEqualTo(TOKEN);
    LocatedStripedBlock none = striped(true, group(4 * CELL, false, true));
    assertThat(madeUp(none)).containsExactly(0, 1, 2, 3, 4);
    assertThat(none.getBlockTokens()).containsExactly(TOKEN, TOKEN, TOKEN, TOKEN, TOKEN);
  }

  /** It counts what it lists: with one of these corrupt, others may be good on their devices. */
  @Test
  void groupThatTheNameNodeCallsCorruptHasPlacesMadeUpAndIsCalledSo() throws Exception {
    LocatedStripedBlock got = striped(true, group(4 * CELL, true, false, 1));
    assertThat(madeUp(got)).containsExactly(0, 2, 3, 4);
    assertThat(got.isCorrupt()).isTrue();
  }

  @Test
  void groupStaysAsItIsWhereItIsNotCompleteOrOfUnknownPolicy() throws Exception {
    assertThat(madeUp(striped(false, group(4 * CELL, false, false, 1)))).isEmpty();
    assertThat(
            madeUp(
                (LocatedStripedBlock)
                    reply(true, null, false, true, group(4 * CELL, false, false, 1)).get(0)))
        .as("no policy")
        .isEmpty();
  }
}
