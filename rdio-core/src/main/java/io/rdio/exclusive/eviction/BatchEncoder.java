// SPDX-License-Identifier: Apache-2.0
package io.rdio.exclusive.eviction;

import io.rdio.exclusive.wire.EvictedBlocks;
import java.util.Arrays;

/**
 * Makes one batch of the wire out of runs of blocks of one device, which may come in any order and
 * overlap: they are sorted and joined, and each start is told as the distance from the run before
 * it. Not thread-safe.
 */
public final class BatchEncoder {
  private final int segmentBlocks;
  // Of run i at [2i] the first block, behind it the block after its last one.
  private long[] bounds = new long[256];
  private int runs;
  private long encodedBlocks;

  /**
   * @param segmentBlocks s: where every run is one aligned segment no lengths are sent
   */
  public BatchEncoder(int segmentBlocks) {
    this.segmentBlocks = segmentBlocks;
  }

  public void add(long first, int blocks) {
    if (2 * runs == bounds.length) {
      bounds = Arrays.copyOf(bounds, 2 * bounds.length);
    }
    bounds[2 * runs] = first;
    bounds[2 * runs + 1] = first + blocks;
    runs++;
  }

  public boolean isEmpty() {
    return runs == 0;
  }

  /**
   * All that was added, which is forgotten.
   *
   * @param device the storage node's number of it
   */
  public EvictedBlocks encode(int device) {
    join();
    EvictedBlocks.Builder batch = EvictedBlocks.newBuilder().setDevice(device);
    boolean segmentsOnly = true;
    long before = 0;
    for (int i = 0; i < runs; i++) {
      batch.addStarts(bounds[2 * i] - before);
      before = bounds[2 * i + 1];
      segmentsOnly &= bounds[2 * i] % segmentBlocks == 0 && before - bounds[2 * i] == segmentBlocks;
    }
    for (int i = 0; i < runs && !segmentsOnly; i++) {
      batch.addMoreBlocks((int) (bounds[2 * i + 1] - bounds[2 * i] - 1));
    }
    encodedBlocks = 0;
    for (int i = 0; i < runs; i++) {
      encodedBlocks += bounds[2 * i + 1] - bounds[2 * i];
    }
    runs = 0;
    return batch.build();
  }

  /** Blocks of the last batch, each counted once. */
  long encodedBlocks() {
    return encodedBlocks;
  }

  /** Sorts, and joins what touches or overlaps. */
  private void join() {
    Integer[] order = new Integer[runs];
    Arrays.setAll(order, i -> i);
    long[] from = Arrays.copyOf(bounds, 2 * runs);
    Arrays.sort(order, (a, b) -> Long.compare(from[2 * a], from[2 * b]));
    int joined = 0;
    for (int i : order) {
      long first = from[2 * i];
      long end = from[2 * i + 1];
      if (joined > 0 && first <= bounds[2 * joined - 1]) {
        bounds[2 * joined - 1] = Math.max(bounds[2 * joined - 1], end);
      } else {
        bounds[2 * joined] = first;
        bounds[2 * joined + 1] = end;
        joined++;
      }
    }
    runs = joined;
  }
}
