// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.block;

/**
 * A block with its token, as a grant request asks for it.
 *
 * @param token block token as {@code Token.write} makes it, or empty
 * @param speculative nobody reads the block yet
 */
@SuppressWarnings("ArrayRecordComponent") // passed on once, never compared
public record BlockAsk(BlockKey block, byte[] token, boolean speculative) {
  /** A block that is about to be read. */
  public BlockAsk(BlockKey block, byte[] token) {
    this(block, token, false);
  }
}
