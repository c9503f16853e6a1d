// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.namenode;

import io.rdio.hdfs.RdioConfigKeys;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.protocol.DatanodeID;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlocks;
import org.apache.hadoop.hdfs.protocol.LocatedStripedBlock;

/**
 * Complete blocks for which a NameNode lists no DataNode any more, since it has dropped those that
 * have them. HDFS's stream asks no replica accessor for such a block: it gives it up. So a place is
 * made up for each, at which nobody can be, and the metadata plane of the device looks where the
 * block really is.
 */
public final class UnlistedBlocks {
  /** No host has it, and Linux refuses to connect to it at once. */
  private static final String ADDRESS = "255.255.255.255";

  /** Whoever places work by where blocks are takes this for nowhere in particular. */
  private static final String HOST = "localhost";

  private static final int PORT = 1;
  private static final String PREFIX = "rdio-unlisted-";

  private UnlistedBlocks() {}

  /** Whether clients of a configuration look for blocks on devices; not if that is invalid. */
  public static boolean areWanted(Configuration conf) {
    try {
      return !RdioConfigKeys.CLIENT_METADATA_PLANE.get(conf).equals("grpc");
    } catch (IllegalArgumentException e) {
      return false; // each read says so
    }
  }

  /** Whether a DataNode was made up here. */
  public static boolean isMadeUp(DatanodeInfo dataNode) {
    String uuid = dataNode.getDatanodeUuid();
    return uuid != null && uuid.startsWith(PREFIX);
  }

  /**
   * Makes up a place for each complete block of a reply that has none, and in a group of
   * erasure-coded blocks for each that has bytes. Files that are being written stay as they are.
   *
   * @param reply this call's own; its list is changed
   */
  static void supply(LocatedBlocks reply) {
    if (reply.isUnderConstruction() || !reply.isLastBlockComplete()) {
      return;
    }
    List<LocatedBlock> blocks = reply.getLocatedBlocks();
    for (int i = 0; i < blocks.size(); i++) {
      LocatedBlock block = blocks.get(i);
      if (block instanceof LocatedStripedBlock) {
        blocks.set(
            i, UnlistedStripes.placed((LocatedStripedBlock) block, reply.getErasureCodingPolicy()));
      } else if (block.getLocations().length == 0 && !block.isCorrupt()) {
        blocks.set(i, placed(block));
      }
    }
  }

  private static LocatedBlock placed(LocatedBlock block) {
    LocatedBlock placed =
        new LocatedBlock(
            block.getBlock(),
            new DatanodeInfo[] {nobody(block.getBlock().getBlockId())},
            new String[] {""},
            new StorageType[] {StorageType.DEFAULT},
            block.getStartOffset(),
            false,
            new DatanodeInfo[0]);
    placed.setBlockToken(block.getBlockToken());
    return placed;
  }

  /** Another one for each block: a stream that fails at one does not give up the others too. */
  static DatanodeInfo nobody(long blockId) {
    DatanodeID id = new DatanodeID(ADDRESS, HOST, PREFIX + blockId, PORT, PORT, 0, PORT);
    return new DatanodeInfo.DatanodeInfoBuilder().setNodeID(id).build();
  }
}
