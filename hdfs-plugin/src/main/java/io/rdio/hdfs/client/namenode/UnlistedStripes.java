// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.namenode;

import java.util.Arrays;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.LocatedStripedBlock;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenIdentifier;
import org.apache.hadoop.hdfs.util.StripedBlockUtil;
import org.apache.hadoop.security.token.Token;
import org.jspecify.annotations.Nullable;

/**
 * Internal blocks of an erasure-coded group of which the NameNode lists no DataNode. HDFS's stream
 * takes such a block for lost and decodes it, without asking a replica accessor, so a place is made
 * up for it as {@link UnlistedBlocks} says. For parity too, behind the data: no reader asks for it
 * who finds the data, but one who finds some of them corrupt has nothing else to decode them from.
 */
final class UnlistedStripes {
  private UnlistedStripes() {}

  /**
   * A group with a place for each internal block with bytes; itself if nothing is to be made up.
   * Also one that the NameNode calls corrupt: it does so when too few of the blocks that it lists
   * are good, whatever those are that it does not list.
   *
   * <p>A NameNode with block tokens signs one for each internal block that it lists, and one for
   * the group. Blocks with a place made up have the group's, which RDIO's agents and plugins take
   * for each of its blocks; a stock DataNode would not.
   *
   * @param policy of the file; null, as of a NameNode that does not say, changes nothing
   */
  static LocatedStripedBlock placed(
      LocatedStripedBlock group, @Nullable ErasureCodingPolicy policy) {
    if (policy == null) {
      return group;
    }
    byte[] missing = missing(group, policy);
    return missing.length == 0 ? group : with(group, missing);
  }

  /** Indices of those with bytes, in their order; a short group has no data in its last ones. */
  private static byte[] missing(LocatedStripedBlock group, ErasureCodingPolicy policy) {
    byte[] missing = new byte[policy.getNumDataUnits() + policy.getNumParityUnits()];
    int count = 0;
    for (byte index = 0; index < missing.length; index++) {
      if (!isListed(group, index)
          && StripedBlockUtil.getInternalBlockLength(group.getBlockSize(), policy, index) > 0) {
        missing[count++] = index;
      }
    }
    return Arrays.copyOf(missing, count);
  }

  private static boolean isListed(LocatedStripedBlock group, byte index) {
    for (byte listed : group.getBlockIndices()) {
      if (listed == index) {
        return true;
      }
    }
    return false;
  }

  private static LocatedStripedBlock with(LocatedStripedBlock group, byte[] missing) {
    int listed = group.getBlockIndices().length;
    int all = listed + missing.length;
    DatanodeInfo[] places = Arrays.copyOf(group.getLocations(), all, DatanodeInfo[].class);
    String[] storages = extended(group.getStorageIDs(), new String[all], "");
    StorageType[] types =
        extended(group.getStorageTypes(), new StorageType[all], StorageType.DEFAULT);
    byte[] indices = Arrays.copyOf(group.getBlockIndices(), all);
    for (int i = 0; i < missing.length; i++) {
      places[listed + i] = UnlistedBlocks.nobody(group.getBlock().getBlockId() + missing[i]);
      indices[listed + i] = missing[i];
    }
    LocatedStripedBlock placed =
        new LocatedStripedBlock(
            group.getBlock(),
            places,
            storages,
            types,
            indices,
            group.getStartOffset(),
            group.isCorrupt(),
            group.getCachedLocations());
    placed.setBlockToken(group.getBlockToken());
    placed.setBlockTokens(tokens(group, all));
    return placed;
  }

  /** Those of the listed; then the group's, which is empty where there are no tokens. */
  private static Token<BlockTokenIdentifier>[] tokens(LocatedStripedBlock group, int all) {
    Token<BlockTokenIdentifier>[] own = group.getBlockTokens();
    Token<BlockTokenIdentifier>[] tokens = Arrays.copyOf(own, all);
    Arrays.fill(tokens, Math.min(own.length, all), all, group.getBlockToken());
    return tokens;
  }

  /** A copy that goes on with one value; of a reply that names nobody there may be no array. */
  private static <T> T[] extended(T @Nullable [] listed, T[] to, T with) {
    Arrays.fill(to, with);
    if (listed != null) {
      System.arraycopy(listed, 0, to, 0, listed.length);
    }
    return to;
  }
}
