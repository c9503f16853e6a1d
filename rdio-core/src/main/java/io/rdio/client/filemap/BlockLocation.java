// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.filemap;

import io.rdio.core.block.BlockKey;
import io.rdio.core.block.TokenedBlock;
import java.util.List;

/**
 * Where the replicas of a block are.
 *
 * @param replicas in the order in which the NameNode prefers them; none where it lists no DataNode
 *     for a block that it has for complete
 */
public record BlockLocation(TokenedBlock tokened, List<ReplicaLocation> replicas) {
  /** Which block. */
  public BlockKey block() {
    return tokened.block();
  }
}
