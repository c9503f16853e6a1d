// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent.daemon;

import io.rdio.core.FallbackException;
import io.rdio.core.block.BlockRequest;

/**
 * Who reads little of a block whose map is not here: by stock HDFS it has that sooner, if there is
 * a DataNode. Waits for no map. Thread-safe.
 */
@FunctionalInterface
public interface FirstReads {
  /**
   * Notes that somebody wants little of a block, and begins to load its map if that pays.
   *
   * @throws FallbackException FIRST_READ or MAP_LOADING where stock HDFS is to serve it
   */
  void check(BlockRequest request) throws FallbackException;
}
