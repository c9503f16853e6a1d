// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.filemap;

import io.rdio.core.FallbackException;
import io.rdio.core.block.BlockKey;
import io.rdio.core.block.BlockRequest;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Knows which DataNodes hold a block. Nobody else remembers what it does not find: a block that is
 * asked for by a wrong name of its file is there by the right one. Thread-safe.
 */
public interface BlockLocator {
  /**
   * Where a block is, and where the blocks are that follow it in its file. It is asked again for
   * every read that needs to know: who finds out with effort remembers what was not found, for a
   * while, and for that file name only.
   *
   * @return the block that was asked for, then the following ones in file order, as many as are
   *     known without effort
   * @throws FallbackException LOCATION_UNKNOWN
   */
  List<BlockLocation> locate(BlockRequest request) throws FallbackException;

  /** Where the block is that follows one in its file, if known without effort; else null. */
  @Nullable BlockLocation following(BlockKey block);

  /** Drops what is known of a block: no DataNode named for it has it. */
  void forget(BlockKey block);
}
