// SPDX-License-Identifier: Apache-2.0
package io.rdio.exclusive.eviction;

/**
 * The last so many runs of blocks, in the order in which they came; where there is no room the
 * oldest is lost. 28 bytes for each. Not thread-safe.
 */
final class RunBuffer {
  private final long[] firsts;
  private final int[] blocks;
  private final int[] devices;
  private final int[] slots;
  private final int[] epochs;
  private int oldest;
  private int size;

  RunBuffer(int capacity) {
    firsts = new long[capacity];
    blocks = new int[capacity];
    devices = new int[capacity];
    slots = new int[capacity];
    epochs = new int[capacity];
  }

  /**
   * Adds a run.
   *
   * @return blocks of the run that was lost for it, 0 if none was
   */
  int add(int device, long first, int count, int slot, int epoch) {
    int lost = 0;
    if (size == firsts.length) {
      lost = blocks[oldest];
      removeOldest();
    }
    int at = (oldest + size) % firsts.length;
    firsts[at] = first;
    blocks[at] = count;
    devices[at] = device;
    slots[at] = slot;
    epochs[at] = epoch;
    size++;
    return lost;
  }

  boolean isEmpty() {
    return size == 0;
  }

  int size() {
    return size;
  }

  /** Hands out the oldest run and forgets it. */
  void take(BlockRunSink sink) {
    int at = oldest;
    removeOldest();
    sink.run(devices[at], firsts[at], blocks[at], slots[at], epochs[at]);
  }

  private void removeOldest() {
    oldest = (oldest + 1) % firsts.length;
    size--;
  }
}
