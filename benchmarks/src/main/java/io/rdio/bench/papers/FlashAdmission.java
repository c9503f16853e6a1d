// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.papers;

import io.rdio.bench.simulator.ObjectLists;
import io.rdio.bench.simulator.Trace;
import java.util.SplittableRandom;

/**
 * A cache of which a small part is memory and the rest flash, a FIFO queue: which objects are
 * written to flash, and how many requests miss both (S3-FIFO paper, §5.4). Objects have size 1. For
 * one thread.
 */
final class FlashAdmission {
  private static final int MEMORY = 0;
  private static final int FLASH = 1;
  private static final int GHOST = 2;
  private static final int LISTS = 3;
  private static final long SEED = 42;
  private static final double ADMITTED = 0.2;
  private static final int HITS = 2;

  private final Trace trace;
  private final ObjectLists lists;
  private final byte[] hits;
  private final int memory;
  private final int flash;
  private final Filter filter;
  private int misses;
  private int writes;

  /** What becomes of an object that leaves memory. */
  enum Filter {
    /** No memory: each miss is written to flash. */
    NONE,
    /** Memory is LRU; a fifth of what leaves it, by chance, is written. */
    PROBABILISTIC,
    /**
     * Memory is S3-FIFO's small queue, with a ghost queue as large as flash: written is what was
     * hit twice in it, or comes again while the ghost queue remembers it.
     */
    SMALL_QUEUE
  }

  /**
   * What came of a trace.
   *
   * @param missRatio of all requests
   * @param writeRatio objects written to flash for each different object of the trace
   */
  record Outcome(double missRatio, double writeRatio) {}

  private FlashAdmission(Trace trace, int memory, int flash, Filter filter) {
    this.trace = trace;
    this.lists = new ObjectLists(trace.objects(), LISTS);
    this.hits = new byte[trace.objects()];
    this.memory = memory;
    this.flash = flash;
    this.filter = filter;
  }

  /**
   * Replays a trace.
   *
   * @param capacity of memory and flash together, in objects
   * @param memoryShare of the capacity; of {@link Filter#NONE} there is no memory
   */
  static Outcome replay(Trace trace, int capacity, double memoryShare, Filter filter) {
    int memory = filter == Filter.NONE ? 0 : Math.max(1, (int) (capacity * memoryShare));
    return new FlashAdmission(trace, memory, capacity - memory, filter).replay();
  }

  private Outcome replay() {
    SplittableRandom random = new SplittableRandom(SEED);
    for (int i = 0; i < trace.length(); i++) {
      request(trace.object(i), random);
    }
    return new Outcome((double) misses / trace.length(), (double) writes / trace.objects());
  }

  private void request(int object, SplittableRandom random) {
    switch (lists.listOf(object)) {
      case FLASH -> {}
      case MEMORY -> {
        hits[object] = (byte) Math.min(hits[object] + 1, HITS);
        if (filter == Filter.PROBABILISTIC) {
          lists.moveToHead(MEMORY, object); // LRU
        }
      }
      case GHOST -> {
        misses++;
        write(object);
      }
      default -> {
        misses++;
        if (filter == Filter.NONE) {
          write(object);
        } else {
          admit(object, random);
        }
      }
    }
  }

  private void admit(int object, SplittableRandom random) {
    if (lists.size(MEMORY) == memory) {
      int oldest = lists.removeTail(MEMORY);
      boolean written =
          filter == Filter.SMALL_QUEUE ? hits[oldest] >= HITS : random.nextDouble() < ADMITTED;
      if (written) {
        write(oldest);
      } else if (filter == Filter.SMALL_QUEUE) {
        remember(oldest);
      }
    }
    hits[object] = 0;
    lists.moveToHead(MEMORY, object);
  }

  private void write(int object) {
    lists.moveToHead(FLASH, object); // out of the ghost queue, if it is in there
    writes++;
    if (lists.size(FLASH) > flash) {
      lists.removeTail(FLASH);
    }
  }

  private void remember(int object) {
    lists.moveToHead(GHOST, object);
    if (lists.size(GHOST) > flash) {
      lists.removeTail(GHOST);
    }
  }
}
