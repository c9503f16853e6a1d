// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.papers;

import io.rdio.bench.simulator.ObjectLists;
import io.rdio.bench.simulator.Trace;
import java.util.SplittableRandom;

/**
 * A cache of which a small part is memory and the rest flash, a queue: how often objects are
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

  /** Of an object in flash, as the flash tier counts them. */
  private static final int MOST_FLASH_HITS = 3;

  /** Flashield learns from two parts of this share of a trace each. */
  private static final int PARTS = 10;

  private final Trace trace;
  private final ObjectLists lists;
  private final byte[] hits;
  private final int memory;
  private final int flash;
  private final Filter filter;
  private final Flashield flashield;
  private int misses;
  private int writes;

  /** What becomes of an object that leaves memory. */
  enum Filter {
    /** No memory: each miss is written to flash. */
    NONE,
    /** Memory is LRU; a fifth of what leaves it, by chance, is written. */
    PROBABILISTIC,
    /** Memory is LRU; {@link Flashield} says what is written. */
    FLASHIELD,
    /**
     * Memory is S3-FIFO's small queue, with a ghost queue as large as flash: written is what was
     * hit twice in it, or comes again while the ghost queue remembers it.
     */
    SMALL_QUEUE,
    /**
     * The same, and what was hit in flash is written again, instead of leaving it: S3-FIFO's main
     * queue.
     */
    SMALL_AND_MAIN_QUEUE;

    boolean hasSmallQueue() {
      return this == SMALL_QUEUE || this == SMALL_AND_MAIN_QUEUE;
    }
  }

  /**
   * What came of a trace.
   *
   * @param missRatio of all requests
   * @param writeRatio writes of objects to flash for each different object of the trace
   */
  record Outcome(double missRatio, double writeRatio) {}

  private FlashAdmission(Trace trace, int memory, int flash, Filter filter) {
    this.trace = trace;
    this.lists = new ObjectLists(trace.objects(), LISTS);
    this.hits = new byte[trace.objects()];
    this.memory = memory;
    this.flash = flash;
    this.filter = filter;
    this.flashield = new Flashield(trace.objects(), Math.max(1, trace.length() / PARTS));
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
    flashield.next();
    switch (lists.listOf(object)) {
      case FLASH -> hits[object] = (byte) Math.min(hits[object] + 1, MOST_FLASH_HITS);
      case MEMORY -> hitInMemory(object, random);
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

  private void hitInMemory(int object, SplittableRandom random) {
    hits[object] = (byte) Math.min(hits[object] + 1, HITS);
    if (!filter.hasSmallQueue()) {
      lists.moveToHead(MEMORY, object); // LRU
      flashield.hit(object, random);
    }
  }

  private void admit(int object, SplittableRandom random) {
    if (lists.size(MEMORY) == memory) {
      int oldest = lists.removeTail(MEMORY);
      if (isWritten(oldest, random)) {
        write(oldest);
      } else if (filter.hasSmallQueue()) {
        remember(oldest);
      }
    }
    hits[object] = 0;
    lists.moveToHead(MEMORY, object);
    flashield.inserted(object);
  }

  private boolean isWritten(int oldest, SplittableRandom random) {
    return switch (filter) {
      case NONE -> true;
      case PROBABILISTIC -> random.nextDouble() < ADMITTED;
      case FLASHIELD -> flashield.admits(oldest);
      case SMALL_QUEUE, SMALL_AND_MAIN_QUEUE -> hits[oldest] >= HITS;
    };
  }

  private void write(int object) {
    while (lists.size(FLASH) >= flash) {
      int oldest = lists.removeTail(FLASH);
      if (filter == Filter.SMALL_AND_MAIN_QUEUE && hits[oldest] > 0) {
        hits[oldest]--;
        lists.moveToHead(FLASH, oldest);
        writes++;
      }
    }
    hits[object] = 0;
    lists.moveToHead(FLASH, object); // out of the ghost queue, if it is in there
    writes++;
  }

  private void remember(int object) {
    lists.moveToHead(GHOST, object);
    if (lists.size(GHOST) > flash) {
      lists.removeTail(GHOST);
    }
  }
}
