// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.block;

/**
 * A block with its token.
 *
 * @param token block token in the form of {@code Token.write}; empty where the cluster has none,
 *     also if it was given one without content
 */
@SuppressWarnings("ArrayRecordComponent") // passed on, never compared
public record TokenedBlock(BlockKey block, byte[] token) {
  private static final byte[] NO_TOKEN = {};

  /** What {@code Token.write} makes of a token without content: four lengths of 0. */
  private static final int EMPTY_TOKEN_BYTES = 4;

  public TokenedBlock {
    if (token.length == EMPTY_TOKEN_BYTES && (token[0] | token[1] | token[2] | token[3]) == 0) {
      token = NO_TOKEN;
    }
  }

  /** A block of a cluster without tokens. */
  public TokenedBlock(BlockKey block) {
    this(block, NO_TOKEN);
  }
}
