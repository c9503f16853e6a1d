// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent.ipc;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Which places of a segment are free, a bit for each. Several side by side are taken by one step or
 * not at all. Safe for any number of threads, without locks.
 */
final class FreePlaces {
  /** What {@link #take} returns where no place is free. */
  static final int NONE = 0;

  private static final int COUNT_BITS = 7;

  private final AtomicLong free;
  private final int places;

  /**
   * @param places 1 to 64
   */
  FreePlaces(int places) {
    this.places = places;
    this.free = new AtomicLong(bits(0, places));
  }

  /** The places from one on. */
  private static long bits(int first, int count) {
    return (-1L >>> (Long.SIZE - count)) << first;
  }

  /** The first of the places that were taken. */
  static int first(int taken) {
    return taken >>> COUNT_BITS;
  }

  /** How many places were taken. */
  static int count(int taken) {
    return taken & ((1 << COUNT_BITS) - 1);
  }

  /**
   * Takes so many free places side by side, the lowest ones; fewer where there are not so many.
   *
   * @param most at least 1
   * @return {@link #NONE}, or what {@link #first} and {@link #count} say
   */
  int take(int most) {
    for (long now = free.get(); now != 0; now = free.get()) {
      int count = Math.min(most, places);
      long firsts = firstsOf(now, count);
      while (firsts == 0) {
        firsts = firstsOf(now, --count);
      }
      int first = Long.numberOfTrailingZeros(firsts);
      if (free.compareAndSet(now, now & ~bits(first, count))) {
        return first << COUNT_BITS | count;
      }
    }
    return NONE;
  }

  /** The free places from which on so many are free. */
  private static long firstsOf(long free, int count) {
    long firsts = free;
    for (int i = 1; i < count; i++) {
      firsts &= free >>> i;
    }
    return firsts;
  }

  /** Gives places back that were taken together. */
  void give(int first, int count) {
    long mine = bits(first, count);
    long now;
    do {
      now = free.get();
    } while (!free.compareAndSet(now, now | mine));
  }

  /** How many are taken, at about this moment. */
  int taken() {
    return places - Long.bitCount(free.get());
  }
}
