// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.twolevel;

/** Level 1 over level 2, and what is counted between them. For one thread. */
final class TwoLevels implements Workload.Reader {
  /** What happened so far, all in blocks but the bytes. */
  record Counts(
      long read, long asked, long hits, long networkBytes, long prefetched, long unreadPrefetches) {
    /** What happened after {@code before}. */
    Counts since(Counts before) {
      return new Counts(
          read - before.read,
          asked - before.asked,
          hits - before.hits,
          networkBytes - before.networkBytes,
          prefetched - before.prefetched,
          unreadPrefetches - before.unreadPrefetches);
    }
  }

  private final PageCache level1;
  private final StorageCache level2;
  private long read;
  private long asked;
  private long hits;
  // Evicted blocks that level 2 has not heard of: a run.
  private int evictedFrom;
  private int evictedTo;

  TwoLevels(int blocks, PageCache.Model model, int level1Blocks, StorageCache level2) {
    this.level1 = model.create(blocks, level1Blocks, this::evicted);
    this.level2 = level2;
  }

  /** The compute node's page cache. */
  PageCache level1() {
    return level1;
  }

  /** Reads; what level 1 does not have is asked of level 2, each run of blocks at once. */
  @Override
  public void read(int first, int blocks) {
    int end = first + blocks;
    read += blocks;
    for (int at = first; at < end; ) {
      if (level1.read(at)) {
        at++;
        continue;
      }
      int missing = at + 1;
      while (missing < end && !level1.contains(missing)) {
        missing++;
      }
      askFor(at, missing);
      at = missing;
    }
  }

  private void askFor(int first, int end) {
    asked += end - first;
    hits += level2.read(first, end - first);
    for (int block = first; block < end; block++) {
      level1.add(block);
    }
    tellEvicted();
  }

  private void evicted(int block) {
    if (block != evictedTo) {
      tellEvicted();
      evictedFrom = block;
    }
    evictedTo = block + 1;
  }

  private void tellEvicted() {
    if (evictedTo > evictedFrom) {
      level2.evicted(evictedFrom, evictedTo - evictedFrom);
    }
    evictedFrom = 0;
    evictedTo = 0;
  }

  /** Blocks read so far, from whichever level. */
  long read() {
    return read;
  }

  /** What happened so far. */
  Counts counts() {
    return new Counts(
        read,
        asked,
        hits,
        asked * Workload.BLOCK_BYTES + level2.extraNetworkBytes(),
        level2.prefetched(),
        level2.unreadPrefetches());
  }
}
