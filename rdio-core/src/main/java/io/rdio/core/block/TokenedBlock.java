// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.block;

/** A block with its token. */
public final class TokenedBlock {
  private static final byte[] NO_TOKEN = {};

  /** What {@code Token.write} makes of a token without content: four lengths of 0. */
  private static final int EMPTY_TOKEN_BYTES = 4;

  private final BlockKey block;
  private final byte[] token;

  /**
   * @param token block token in the form of {@code Token.write}; one without content is none
   */
  public TokenedBlock(BlockKey block, byte[] token) {
    this.block = block;
    this.token = isWithoutContent(token) ? NO_TOKEN : token;
  }

  /** A block of a cluster without tokens. */
  public TokenedBlock(BlockKey block) {
    this(block, NO_TOKEN);
  }

  private static boolean isWithoutContent(byte[] token) {
    return token.length == EMPTY_TOKEN_BYTES && (token[0] | token[1] | token[2] | token[3]) == 0;
  }

  /** Which block. */
  public BlockKey block() {
    return block;
  }

  /** Block token in the form of {@code Token.write}; empty where the cluster has none. */
  public byte[] token() {
    return token;
  }
}
