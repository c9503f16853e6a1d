// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.filemap;

import io.rdio.client.plane.DataNodeId;
import io.rdio.core.block.BlockKey;
import java.util.List;

/**
 * Where the replicas of a block are.
 *
 * @param token block token in the form of {@code Token.write}; empty, or of a token without
 *     content, where the cluster has none
 * @param replicas in the order in which the NameNode prefers them
 */
@SuppressWarnings("ArrayRecordComponent") // passed on, never compared
public record BlockLocation(BlockKey block, byte[] token, List<Replica> replicas) {

  /**
   * One replica.
   *
   * @param storageId the DataNode's storage that holds it, or "" if it is not known
   */
  public record Replica(DataNodeId dataNode, String storageId) {}
}
