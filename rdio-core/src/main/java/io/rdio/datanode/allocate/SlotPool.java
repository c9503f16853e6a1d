// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.allocate;

import java.util.ArrayDeque;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.LongToIntFunction;

/** The free slots of one volume, by size. Thread-safe; memory only. */
final class SlotPool {
  private static final long[] SMALL = {1L << 20, 4L << 20, 16L << 20, 64L << 20};
  private static final int SMALL_MAX = 8;

  /** At most this part of the pool goes to slots of one of the small sizes. */
  private static final int SMALL_PART = 8;

  /** Of a volume that is not in use. */
  static final SlotPool NONE = new SlotPool(0, 1L << 20, 512);

  private final TreeMap<Long, Integer> wanted = new TreeMap<>();
  private final TreeMap<Long, ArrayDeque<Slot>> free = new TreeMap<>();

  /** Bytes that nobody could be given a slot of since one was put in that holds them; 0: none. */
  private long lacking;

  /**
   * @param poolBytes of all slots together, at most
   * @param blockBytes of the largest ones
   * @param unit all sizes are whole units
   */
  SlotPool(long poolBytes, long blockBytes, int unit) {
    long block = (blockBytes + unit - 1) / unit * unit;
    long left = poolBytes;
    for (long size : SMALL) {
      if (size < block) {
        int slots = (int) Math.min(SMALL_MAX, poolBytes / SMALL_PART / size);
        wanted.put(size, slots);
        left -= slots * size;
      }
    }
    wanted.put(block, (int) Math.min(Integer.MAX_VALUE, left / block));
    wanted.keySet().forEach(size -> free.put(size, new ArrayDeque<>()));
  }

  /** The smallest one that holds so many bytes. */
  synchronized Optional<Slot> take(long bytes) {
    for (ArrayDeque<Slot> slots : free.tailMap(bytes, true).values()) {
      Slot slot = slots.poll();
      if (slot != null) {
        return Optional.of(slot);
      }
    }
    if (wanted.tailMap(bytes, true).values().stream().anyMatch(slots -> slots > 0)) {
      lacking = Math.max(lacking, bytes);
    }
    return Optional.empty();
  }

  /** Whether somebody got none of a size that it should have, and none came since. */
  synchronized boolean isLacking() {
    return lacking > 0;
  }

  /** Whether one that holds so many bytes is there. */
  synchronized boolean has(long bytes) {
    return free.tailMap(bytes, true).values().stream().anyMatch(slots -> !slots.isEmpty());
  }

  /** Whether one more of this size is wanted. */
  boolean wants(long bytes) {
    return wants(bytes, 0);
  }

  /** The same, when so many are on their way here. */
  synchronized boolean wants(long bytes, int coming) {
    ArrayDeque<Slot> slots = free.get(bytes);
    return slots != null && slots.size() + coming < wanted.getOrDefault(bytes, 0);
  }

  /** Puts one in, which must be of a size of this pool. */
  synchronized void add(Slot slot) {
    ArrayDeque<Slot> slots = free.get(slot.bytes());
    if (slots == null) {
      throw new IllegalArgumentException("no size of this pool: " + slot);
    }
    slots.add(slot);
    if (slot.bytes() >= lacking) {
      lacking = 0;
    }
  }

  /**
   * The size that is to be made next: of those that are short, that which is shortest.
   *
   * @param expected how many of a size may come by themselves: for each of these a place stays
   *     free, up to half of all places of that size
   */
  synchronized Optional<Long> missing(LongToIntFunction expected) {
    long size = 0;
    double fill = 1;
    for (Map.Entry<Long, Integer> entry : wanted.entrySet()) {
      int places = entry.getValue();
      int left = Math.min(places / 2, expected.applyAsInt(entry.getKey()));
      double is = places == 0 ? 1 : (double) (slots(entry.getKey()) + left) / places;
      if (is < fill) {
        fill = is;
        size = entry.getKey();
      }
    }
    return size == 0 ? Optional.empty() : Optional.of(size);
  }

  private int slots(long size) {
    ArrayDeque<Slot> slots = free.get(size);
    return slots == null ? 0 : slots.size();
  }

  /** One of the largest, which is to be removed. */
  synchronized Optional<Slot> takeLargest() {
    for (ArrayDeque<Slot> slots : free.descendingMap().values()) {
      Slot slot = slots.poll();
      if (slot != null) {
        return Optional.of(slot);
      }
    }
    return Optional.empty();
  }

  synchronized int count() {
    return free.values().stream().mapToInt(ArrayDeque::size).sum();
  }

  synchronized long bytes() {
    return free.entrySet().stream().mapToLong(e -> e.getKey() * e.getValue().size()).sum();
  }
}
