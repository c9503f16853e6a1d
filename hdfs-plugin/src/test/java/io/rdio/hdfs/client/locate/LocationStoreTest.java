// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.locate;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.block.BlockKey;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.protocol.DatanodeID;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo.DatanodeInfoBuilder;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlocks;
import org.apache.hadoop.hdfs.protocol.LocatedStripedBlock;
import org.apache.hadoop.hdfs.protocol.SystemErasureCodingPolicies;
import org.junit.jupiter.api.Test;

class LocationStoreTest {
  private static final long GROUP = -9223372036854775792L;

  private final LocationStore store = new LocationStore();

  private static LocatedBlocks reply(String uuid) {
    DatanodeID node = new DatanodeID("10.0.0.1", "dn", uuid, 9866, 9864, 0, 9867);
    LocatedBlock block =
        new LocatedBlock(
            new ExtendedBlock("BP-1", 1, 512, 1001),
            new DatanodeInfo[] {new DatanodeInfoBuilder().setNodeID(node).build()},
            new String[] {"DS-1"},
            new StorageType[] {StorageType.DISK},
            0,
            false,
            new DatanodeInfo[0]);
    return new LocatedBlocks(512, false, List.of(block), block, true, null, null);
  }

  @Test
  void madeUpDataNodeIsNoneToBeAsked() {
    BlockKey key = new BlockKey("BP-1", 1, 1001);
    store.record(reply("rdio-unlisted-1"), false);
    assertThat(store.find(key)).hasSize(1);
    assertThat(store.find(key).get(0).replicas()).isEmpty();

    store.record(reply("uuid"), false);
    assertThat(store.find(key).get(0).replicas()).hasSize(1);
  }

  /** A group of RS-3-2 as the NameNode lists it, less what has its place made up. */
  private static LocatedBlocks group(String... uuids) {
    DatanodeInfo[] dataNodes = new DatanodeInfo[uuids.length];
    byte[] indices = new byte[uuids.length];
    for (byte i = 0; i < uuids.length; i++) {
      DatanodeID node = new DatanodeID("10.0.0." + i, "dn", uuids[i], 9866, 9864, 0, 9867);
      dataNodes[i] = new DatanodeInfoBuilder().setNodeID(node).build();
      indices[i] = i;
    }
    String[] storages = new String[uuids.length];
    Arrays.fill(storages, "DS-1");
    StorageType[] types = new StorageType[uuids.length];
    Arrays.fill(types, StorageType.DISK);
    LocatedBlock group =
        new LocatedStripedBlock(
            new ExtendedBlock("BP-1", GROUP, 4 << 20, 1001),
            dataNodes,
            storages,
            types,
            indices,
            0,
            false,
            new DatanodeInfo[0]);
    ErasureCodingPolicy policy = SystemErasureCodingPolicies.getByName("RS-3-2-1024k");
    return new LocatedBlocks(4 << 20, false, List.of(group), group, true, null, policy);
  }

  private List<Long> found(int index) {
    return store.find(new BlockKey("BP-1", GROUP + index, 1001)).stream()
        .map(location -> location.block().blockId() - GROUP)
        .toList();
  }

  /** Whoever reads its data would have it looked for along with them. */
  @Test
  void parityThatIsNotListedStandsByItself() {
    String nobody = "rdio-unlisted-";
    store.record(group(nobody + 0, "uuid1", nobody + 2, "uuid3", nobody + 4), false);
    assertThat(found(0)).containsExactly(0L, 1L, 2L, 3L);
    assertThat(found(3)).containsExactly(3L);
    assertThat(found(4)).containsExactly(4L);
    assertThat(store.fileOffset(new BlockKey("BP-1", GROUP + 4, 1001))).isZero();
  }
}
