// SPDX-License-Identifier: Apache-2.0
package io.rdio.exclusive.eviction;

/** Takes runs of evicted blocks on their way to the storage node. */
@FunctionalInterface
public interface BlockRunSink {
  /**
   * Blocks {@code [first, first + blocks)} of a traced device.
   *
   * @param blocks at least 1
   * @param slot of {@link ExtentEpochs}
   * @param epoch in which they belonged to their file
   */
  void run(int device, long first, int blocks, int slot, int epoch);
}
