// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent.daemon;

import io.rdio.core.FallbackException;
import io.rdio.core.block.BlockKey;

/** Who may read which block, as HDFS has it. Thread-safe. */
public interface BlockRights {
  /**
   * Checks that the holder of a block token may read a block.
   *
   * @param token in the form of Token.write; empty where the process has none
   * @return until when that is so, in milliseconds since 1970
   * @throws FallbackException TOKEN_REFUSED, or why it cannot be told now
   */
  long check(BlockKey block, byte[] token) throws FallbackException;
}
