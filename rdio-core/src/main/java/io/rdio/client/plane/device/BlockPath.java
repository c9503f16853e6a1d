// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.device;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockKey;
import java.util.regex.Pattern;

/** Where a DataNode has the two files of a finalized replica, which follows from the block. */
public final class BlockPath {
  private static final Pattern POOL = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9._:-]*");

  private BlockPath() {}

  /**
   * The path of a block file's directory, from the storage's own.
   *
   * @throws FallbackException REPLICA_NOT_FOUND for a pool id that is none
   */
  public static String directory(BlockKey block) throws FallbackException {
    long id = block.blockId();
    if (!POOL.matcher(block.poolId()).matches()) { // it is from whoever asks
      throw new FallbackException(
          FallbackReason.REPLICA_NOT_FOUND, "'" + block.poolId() + "' is no block pool");
    }
    return "current/"
        + block.poolId()
        + "/current/finalized/subdir"
        + (id >> 16 & 31)
        + "/subdir"
        + (id >> 8 & 31);
  }

  /** The name of its block file there. */
  public static String blockFile(BlockKey block) {
    return "blk_" + block.blockId();
  }

  /** The name of its meta file there. */
  public static String metaFile(BlockKey block) {
    return blockFile(block) + "_" + block.generationStamp() + ".meta";
  }
}
