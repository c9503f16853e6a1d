// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.namenode;

import io.rdio.core.block.BlockKey;
import java.net.URI;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.jspecify.annotations.Nullable;

/**
 * Blocks that NameNodes told this JVM of before: of a file that was deleted under its reader they
 * know nothing any more. Thread-safe.
 */
@FunctionalInterface
public interface KnownBlocks {
  /** None. */
  KnownBlocks NONE = block -> null;

  /** A block (not one of a group) as the NameNode told it last; null if it is not known here. */
  @Nullable LocatedBlock located(BlockKey block);

  /** Where in its file a block (of a group: its group) starts, in bytes; null if unknown. */
  default @Nullable Long fileOffset(BlockKey block) {
    return null;
  }

  /** The nameservice that a block pool was seen in; null if in none. */
  default @Nullable URI nameservice(String poolId) {
    return null;
  }
}
