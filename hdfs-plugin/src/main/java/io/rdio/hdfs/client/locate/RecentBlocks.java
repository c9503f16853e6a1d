// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.locate;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.rdio.core.block.BlockKey;
import io.rdio.hdfs.client.namenode.KnownBlocks;
import java.time.Duration;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlocks;
import org.apache.hadoop.hdfs.protocol.LocatedStripedBlock;
import org.jspecify.annotations.Nullable;

/**
 * Blocks as the NameNode told RDIO's own clients lately, for stock reads: of a file that was
 * deleted under its reader the NameNode knows nothing any more, while DataNodes, and the reader's
 * own stream, still have it. Bounded in number and age; without blocks of erasure-coded groups.
 * Thread-safe.
 */
public final class RecentBlocks implements KnownBlocks {
  /** Of about 1.5 kB each with three replicas. */
  private static final int MAX_BLOCKS = 4000;

  /** What is older would as likely as not have moved. */
  private static final Duration MAX_AGE = Duration.ofMinutes(10);

  private final Cache<BlockKey, LocatedBlock> blocks =
      Caffeine.newBuilder().maximumSize(MAX_BLOCKS).expireAfterWrite(MAX_AGE).build();

  /** Keeps a reply of the NameNode. */
  void record(LocatedBlocks reply) {
    for (LocatedBlock located : reply.getLocatedBlocks()) {
      if (!(located instanceof LocatedStripedBlock)) {
        var block = located.getBlock();
        blocks.put(
            new BlockKey(block.getBlockPoolId(), block.getBlockId(), block.getGenerationStamp()),
            located);
      }
    }
  }

  @Override
  public @Nullable LocatedBlock located(BlockKey block) {
    return blocks.getIfPresent(block);
  }
}
