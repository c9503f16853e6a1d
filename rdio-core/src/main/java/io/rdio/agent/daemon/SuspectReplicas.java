// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent.daemon;

import io.rdio.client.plane.FileMap;
import io.rdio.core.block.BlockRequest;

/** Told of replicas whose bytes do not match their checksums. Thread-safe, and does not wait. */
@FunctionalInterface
public interface SuspectReplicas {
  /**
   * A process found a chunk wrong, and so did the agent itself.
   *
   * @param suspect the map by which it was read
   * @param chunkAt offset of a byte in the chunk
   */
  void found(BlockRequest request, FileMap suspect, long chunkAt);
}
