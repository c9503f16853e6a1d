// SPDX-License-Identifier: Apache-2.0
package io.rdio.s3fifo.policy;

/**
 * A bounded FIFO set of 32-bit fingerprints: who was evicted lately. A ring keeps the order and an
 * open-addressed index finds a fingerprint's place in the ring; together about ten bytes per
 * remembered entry, and no object.
 *
 * <p>Two keys with the same fingerprint are one to it: a false ghost hit, one in 2^32 per pair of
 * keys whose hash codes are good, and without consequence but for a promotion too early. Not
 * thread-safe.
 */
final class GhostQueue {
  private static final int MIN_SLOTS = 16;

  /** Marks a ring slot whose fingerprint was removed. */
  private static final int HOLE = 0;

  private int[] ring = new int[MIN_SLOTS];
  // Ring position + 1; 0 where vacant.
  private int[] index = new int[indexFor(MIN_SLOTS)];
  private int head;
  private int occupied;
  private int size;

  /** Returns how many fingerprints are remembered. */
  int size() {
    return size;
  }

  /** Returns how many slots the ring and the index have. */
  int slots() {
    return ring.length + index.length;
  }

  /**
   * Remembers {@code hash} as the youngest.
   *
   * @param limit how many may be remembered, this one included; the oldest go. At 0 or less none
   *     is.
   */
  void add(int hash, long limit) {
    trim(Math.max(0, limit - 1));
    if (limit <= 0) {
      return;
    }
    remove(hash);
    if (occupied == ring.length) {
      makeSlots(limit);
    }
    int fingerprint = fingerprint(hash);
    int tail = head + occupied;
    int position = tail < ring.length ? tail : tail - ring.length;
    ring[position] = fingerprint;
    occupied++;
    size++;
    index[vacancy(fingerprint)] = position + 1;
  }

  /** Forgets {@code hash} and returns whether it was remembered. */
  boolean remove(int hash) {
    int slot = find(fingerprint(hash));
    if (slot < 0) {
      return false;
    }
    int position = index[slot] - 1;
    vacate(slot);
    ring[position] = HOLE;
    size--;
    return true;
  }

  /** Forgets the oldest until at most {@code limit} are remembered. */
  void trim(long limit) {
    while (size > limit) {
      int oldest = ring[head];
      if (oldest != HOLE) {
        vacate(find(oldest));
        size--;
      }
      head = next(head, ring.length);
      occupied--;
    }
  }

  private static int fingerprint(int hash) {
    // Bijective (the finaliser of MurmurHash3), so that it adds no collision; the index takes its
    // high bits.
    int h = hash;
    h = (h ^ (h >>> 16)) * 0x85ebca6b;
    h = (h ^ (h >>> 13)) * 0xc2b2ae35;
    h ^= h >>> 16;
    return h == HOLE ? 1 : h;
  }

  private int home(int fingerprint) {
    return (int) ((Integer.toUnsignedLong(fingerprint) * index.length) >>> Integer.SIZE);
  }

  private int find(int fingerprint) {
    for (int slot = home(fingerprint); index[slot] != 0; slot = next(slot, index.length)) {
      if (ring[index[slot] - 1] == fingerprint) {
        return slot;
      }
    }
    return -1;
  }

  private int vacancy(int fingerprint) {
    int slot = home(fingerprint);
    while (index[slot] != 0) {
      slot = next(slot, index.length);
    }
    return slot;
  }

  /** Empties an index slot and moves later ones of its run up, so that no probe ends too early. */
  private void vacate(int slot) {
    int gap = slot;
    for (int s = next(gap, index.length); index[s] != 0; s = next(s, index.length)) {
      int home = home(ring[index[s] - 1]);
      boolean homeIsAfterGap = gap <= s ? gap < home && home <= s : gap < home || home <= s;
      if (!homeIsAfterGap) {
        index[gap] = index[s];
        gap = s;
      }
    }
    index[gap] = 0;
  }

  private void makeSlots(long limit) {
    // Room for one hole to eight fingerprints: fewer would mean compacting too often, more is
    // waste.
    long most = Math.max(MIN_SLOTS, Math.min(limit + limit / 8 + 1, Integer.MAX_VALUE / 2));
    boolean manyHoles = occupied - size > occupied / 16;
    long length = manyHoles ? ring.length : ring.length + ring.length / 2;
    moveTo((int) Math.min(Math.max(length, size + 1L), Math.max(most, size + 1L)));
  }

  private void moveTo(int length) {
    int[] from = ring;
    ring = new int[length];
    index = new int[indexFor(length)];
    int kept = 0;
    for (int i = 0, at = head; i < occupied; i++, at = next(at, from.length)) {
      if (from[at] != HOLE) {
        ring[kept] = from[at];
        index[vacancy(from[at])] = ++kept;
      }
    }
    head = 0;
    occupied = kept;
  }

  private static int indexFor(int slots) {
    return slots + slots / 4 + 1;
  }

  private static int next(int i, int length) {
    return i + 1 == length ? 0 : i + 1;
  }
}
