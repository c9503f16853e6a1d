// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.server;

import io.grpc.Status;
import io.rdio.core.FallbackReason;
import io.rdio.datanode.allocate.WriteRoom;

/**
 * What all calls of the write plane have in common.
 *
 * @param shares of the commits under way
 */
record ServerWrites(
    WriteRoom room,
    ServerSessions sessions,
    ServerAnswers answers,
    ServerTimer timer,
    ServerCommitShares shares) {

  /**
   * Refuses the call for a room that is too busy, which a client is told as of any other call.
   *
   * @throws ServerRequestException RESOURCE_EXHAUSTED, behind which it asks again
   */
  static void requireIdle(FallbackReason reason, String detail) throws ServerRequestException {
    if (reason == FallbackReason.DATANODE_BUSY) {
      throw new ServerRequestException(Status.RESOURCE_EXHAUSTED.withDescription(detail));
    }
  }
}
