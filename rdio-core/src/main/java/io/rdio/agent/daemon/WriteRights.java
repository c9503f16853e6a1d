// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent.daemon;

import io.rdio.client.plane.DataNodeId;
import io.rdio.core.FallbackException;
import io.rdio.core.block.BlockKey;
import java.util.List;

/** Which block is being written where, as HDFS has it. Thread-safe. */
@FunctionalInterface
public interface WriteRights {
  /**
   * Checks that a block is being written, and that these are DataNodes that the NameNode chose for
   * it. Who could name a host of his own would have the agent write wherever that one says: the
   * block token proves nothing of it, for he has the token.
   *
   * @param file path of the block's file, as a process says
   * @throws FallbackException WRITE_UNSUPPORTED if it is not so, or why it cannot be told now
   */
  void check(BlockKey block, String file, List<DataNodeId> targets) throws FallbackException;
}
