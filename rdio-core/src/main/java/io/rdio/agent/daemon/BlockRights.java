// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent.daemon;

import io.rdio.core.FallbackException;
import io.rdio.core.block.BlockRequest;

/** Who may read which block, as HDFS has it. Thread-safe. */
public interface BlockRights {
  /**
   * Checks that whoever asks for a block with this token, or without one, may read it.
   *
   * @return the last millisecond in which that is so, since 1970
   * @throws FallbackException TOKEN_REFUSED, or why it cannot be told now
   */
  long check(BlockRequest request) throws FallbackException;
}
