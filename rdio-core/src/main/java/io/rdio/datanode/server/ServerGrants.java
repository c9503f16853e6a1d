// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.server;

import io.rdio.core.block.BlockAsk;
import io.rdio.core.wire.proto.BlockGrant;
import io.rdio.datanode.grant.GrantResult;
import java.util.List;

/** The blocks of one grant request, and how they are answered. */
interface ServerGrants {
  /** The blocks that may be asked for. */
  List<BlockAsk> asks();

  /**
   * The answers to all blocks of the request, in its order.
   *
   * @param results of {@link #asks}, in their order
   */
  List<BlockGrant> answers(List<GrantResult> results);

  /** All blocks, answered as they are. */
  static ServerGrants plain(List<BlockAsk> all) {
    return new ServerGrants() {
      @Override
      public List<BlockAsk> asks() {
        return all;
      }

      @Override
      public List<BlockGrant> answers(List<GrantResult> results) {
        return results.stream().map(ServerMessages::blockGrant).toList();
      }
    };
  }
}
