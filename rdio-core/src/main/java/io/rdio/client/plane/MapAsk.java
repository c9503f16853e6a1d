// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane;

import io.rdio.core.block.BlockKey;

/**
 * A block whose map a client asks for.
 *
 * @param storageId the storage of the replica's holder that it is on, or "" if it is not known
 * @param token block token in the form of {@code Token.write}; empty, or of a token without
 *     content, where the cluster has none
 * @param speculative nobody reads the block yet, it comes along with another one
 */
@SuppressWarnings("ArrayRecordComponent") // it is sent, never compared
public record MapAsk(BlockKey block, String storageId, byte[] token, boolean speculative) {
  private static final byte[] NO_TOKEN = {};

  /** What {@code Token.write} makes of a token without content: four lengths of 0. */
  private static final int EMPTY_TOKEN_BYTES = 4;

  public MapAsk {
    if (token.length == EMPTY_TOKEN_BYTES && (token[0] | token[1] | token[2] | token[3]) == 0) {
      token = NO_TOKEN;
    }
  }
}
