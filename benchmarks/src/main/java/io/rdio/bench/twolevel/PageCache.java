// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.twolevel;

import java.util.Locale;
import java.util.function.IntConsumer;

/** Level 1: the compute node's page cache. Tells of each block that it evicts. */
interface PageCache {
  /** How level 1 replaces. */
  enum Model {
    /** As Linux does. */
    LINUX,
    /** Strictly the least recently read first, which most papers assume. */
    LRU;

    /**
     * Makes an empty cache.
     *
     * @param blocks of the data set
     * @param capacity in blocks, at least 1
     * @param evicted is told of each block that leaves
     */
    PageCache create(int blocks, int capacity, IntConsumer evicted) {
      if (capacity < 1) {
        throw new IllegalArgumentException("a page cache of " + capacity + " blocks; at least 1");
      }
      return switch (this) {
        case LINUX -> new LinuxPageCache(blocks, capacity, evicted);
        case LRU -> new LruPageCache(blocks, capacity, evicted);
      };
    }

    /** As it is typed. */
    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** Whether a block is here. */
  boolean contains(int block);

  /** Reads a block if it is here; whether it was. */
  boolean read(int block);

  /** Puts a block here that was not, after making room for it. */
  void add(int block);
}
