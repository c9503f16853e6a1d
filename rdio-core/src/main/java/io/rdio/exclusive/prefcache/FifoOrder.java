// SPDX-License-Identifier: Apache-2.0
package io.rdio.exclusive.prefcache;

import java.util.Arrays;

/** First in, first out: a list linked through arrays. Not thread-safe. */
final class FifoOrder implements SegmentOrder {
  private static final int NONE = SegmentTable.NONE;

  private final SegmentTable table;
  private final long capacity;
  private final Evictor evictor;
  private int[] older = new int[0];
  private int[] younger = new int[0];
  private int oldest = NONE;
  private int youngest = NONE;
  // Sum of the weights, and each slot's part of it; 0 where the slot is not in the list.
  private long weight;
  private byte[] weights = new byte[0];

  /**
   * @param capacity blocks, at least those of one segment
   */
  FifoOrder(SegmentTable table, long capacity, Evictor evictor) {
    this.table = table;
    this.capacity = capacity;
    this.evictor = evictor;
  }

  @Override
  public void grown(int slot) {
    ensureSlots();
    if (weights[slot] == 0) {
      append(slot);
    }
    reweigh(slot, table.weight(slot));
    while (weight > capacity) {
      int first = oldest;
      unlink(first);
      if (first == slot) {
        append(slot); // What was just admitted to it would be gone before it came.
      } else {
        reweigh(first, 0);
        evictor.evict(first);
      }
    }
  }

  @Override
  public void shrunk(int slot) {
    reweigh(slot, table.weight(slot));
  }

  @Override
  public void hit(int slot) {
    // FIFO does not mind.
  }

  @Override
  public void remove(int slot) {
    unlink(slot);
    reweigh(slot, 0);
  }

  private void reweigh(int slot, int now) {
    weight += now - weights[slot];
    weights[slot] = (byte) now;
  }

  private void append(int slot) {
    older[slot] = youngest;
    younger[slot] = NONE;
    if (youngest == NONE) {
      oldest = slot;
    } else {
      younger[youngest] = slot;
    }
    youngest = slot;
  }

  private void unlink(int slot) {
    int before = older[slot];
    int behind = younger[slot];
    if (before == NONE) {
      oldest = behind;
    } else {
      younger[before] = behind;
    }
    if (behind == NONE) {
      youngest = before;
    } else {
      older[behind] = before;
    }
  }

  private void ensureSlots() {
    if (older.length < table.slots()) {
      older = Arrays.copyOf(older, table.slots());
      younger = Arrays.copyOf(younger, table.slots());
      weights = Arrays.copyOf(weights, table.slots());
    }
  }
}
