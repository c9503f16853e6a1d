// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.metadata;

import io.rdio.core.block.BlockKey;

/**
 * A block whose map a client asks for.
 *
 * @param token block token in the form of {@code Token.write}; empty where the cluster has none
 * @param speculative nobody reads the block yet, it comes along with another one
 */
@SuppressWarnings("ArrayRecordComponent") // it is sent, never compared
public record GrantTarget(BlockKey block, byte[] token, boolean speculative) {
  /** A block that is about to be read. */
  public GrantTarget(BlockKey block, byte[] token) {
    this(block, token, false);
  }
}
