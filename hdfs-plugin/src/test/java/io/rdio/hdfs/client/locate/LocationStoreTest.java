// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.locate;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.block.BlockKey;
import java.util.List;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.protocol.DatanodeID;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo.DatanodeInfoBuilder;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlocks;
import org.junit.jupiter.api.Test;

class LocationStoreTest {
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
}
