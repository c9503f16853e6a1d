// SPDX-License-Identifier: Apache-2.0
package io.rdio.s3fifo.policy;

import org.jspecify.annotations.Nullable;

/**
 * A FIFO queue in a ring of slots. An array costs four bytes per entry where links cost eight, and
 * eviction walks it in order.
 *
 * <p>An entry removed by its owner stays in its slot, retired, until it comes to the head or until
 * half of the slots are such tombstones, when the ring is compacted; so their number is bounded by
 * the number of live entries, and removal costs O(1) amortised.
 *
 * <p>The hits of the entries that were added last, so many of them, do not count: an entry's
 * counter is reset when that many have been added behind it, and when it leaves before. Not
 * thread-safe.
 */
final class FifoQueue<E extends S3FifoEntry> {
  private static final int MIN_SLOTS = 16;

  private final byte location;
  private @Nullable S3FifoEntry[] slots = new @Nullable S3FifoEntry[MIN_SLOTS];
  private int head;
  private int occupied;
  private int size;
  private long weight;

  /** How many of the occupied slots, from the tail on, are in the correlation window at most. */
  private int window;

  /** How many of the occupied slots, from the head on, are not in it. */
  private int aged;

  FifoQueue(byte location) {
    this.location = location;
  }

  /** Returns the number of live entries. */
  int size() {
    return size;
  }

  /** Returns the sum of the queued weights of the live entries. */
  long weight() {
    return weight;
  }

  /** Returns the number of slots that hold an entry, dead or alive. */
  int occupiedSlots() {
    return occupied;
  }

  /** Says of how many entries that were added last the hits do not count; 0 for none. */
  void window(int entries) {
    window = entries;
  }

  /** Puts {@code entry} at the tail; it must be in no queue. */
  void add(E entry) {
    if (occupied == slots.length) {
      makeSlots();
    }
    slots[slot(occupied)] = entry;
    occupied++;
    size++;
    weight += entry.queuedWeight();
    entry.location(location);
    if (window == 0 && aged == occupied - 1) {
      aged = occupied; // it never was in a window: hits that it had before count
    } else {
      age();
    }
  }

  private int slot(int fromHead) {
    int slot = head + fromHead;
    return slot < slots.length ? slot : slot - slots.length;
  }

  /** Begins to count the hits of those that leave the window. */
  private void age() {
    while (occupied - aged > window) {
      S3FifoEntry leaving = slots[slot(aged)];
      if (leaving != null && leaving.location() == location) {
        leaving.resetFrequency();
      }
      aged++;
    }
  }

  /** Takes the entry at the head out, passing over tombstones; null if there is none. */
  @Nullable E poll() {
    while (occupied > 0) {
      @SuppressWarnings("unchecked") // add() is the only way into a slot.
      E entry = (E) slots[head];
      slots[head] = null;
      head = head + 1 == slots.length ? 0 : head + 1;
      occupied--;
      boolean counts = aged > 0;
      aged -= counts ? 1 : 0;
      if (entry != null && entry.location() == location) {
        size--;
        weight -= entry.queuedWeight();
        entry.location(S3FifoEntry.NOWHERE);
        if (!counts) {
          entry.resetFrequency();
        }
        return entry;
      }
    }
    return null;
  }

  /** Turns the slot of {@code entry}, which is in this queue, into a tombstone. */
  void retire(E entry) {
    size--;
    weight -= entry.queuedWeight();
    entry.location(S3FifoEntry.RETIRED);
    if (occupied - size > size + MIN_SLOTS) {
      moveTo(slotsFor(size));
    }
  }

  /** Counts {@code entry}, which is in this queue, with a new weight. */
  void reweigh(E entry, int newWeight) {
    weight += newWeight - entry.queuedWeight();
    entry.queuedWeight(newWeight);
  }

  private void makeSlots() {
    boolean manyTombstones = occupied - size > occupied / 4;
    moveTo(manyTombstones ? slots.length : slotsFor(occupied + 1));
  }

  private static int slotsFor(int entries) {
    return Math.max(MIN_SLOTS, Math.addExact(entries, entries / 4));
  }

  private void moveTo(int length) {
    @Nullable S3FifoEntry[] to = new @Nullable S3FifoEntry[length];
    int kept = 0;
    int keptAged = 0;
    for (int i = 0, from = head; i < occupied; i++) {
      S3FifoEntry entry = slots[from];
      if (entry != null && entry.location() == location) {
        to[kept++] = entry;
        keptAged += i < aged ? 1 : 0;
      }
      from = from + 1 == slots.length ? 0 : from + 1;
    }
    slots = to;
    head = 0;
    occupied = kept;
    aged = keptAged;
  }
}
