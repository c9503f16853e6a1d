// SPDX-License-Identifier: Apache-2.0
package io.rdio.exclusive.prefcache;

import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Runs of blocks that wait to be prefetched, first come, first served; neighbours that follow each
 * other become one run. Not thread-safe.
 */
final class PrefetchQueue {
  /** Blocks of a device, one behind the other. */
  record Run(int device, long first, int blocks) {
    long end() {
      return first + blocks;
    }

    boolean goesOn(Run next) {
      return next.device == device && next.first == end();
    }
  }

  private final int maxRuns;
  private final int runBlocks;
  private final ArrayDeque<Run> runs = new ArrayDeque<>();
  private long blocks;

  /**
   * @param maxRuns that may wait, at least 1
   * @param runBlocks of a run at most; what is added must not be longer
   */
  PrefetchQueue(int maxRuns, int runBlocks) {
    this.maxRuns = maxRuns;
    this.runBlocks = runBlocks;
  }

  /** Adds a run; false if there is no room. */
  boolean offer(int device, long first, int count) {
    Run run = new Run(device, first, count);
    Run last = runs.peekLast();
    if (last != null && last.goesOn(run) && last.blocks() + count <= runBlocks) {
      runs.pollLast();
      runs.addLast(new Run(device, last.first(), last.blocks() + count));
    } else if (runs.size() < maxRuns) {
      runs.addLast(run);
    } else {
      return false;
    }
    blocks += count;
    return true;
  }

  /** The run that waits longest; null if there is none. */
  @Nullable Run peek() {
    return runs.peekFirst();
  }

  /** Takes it out. */
  @Nullable Run poll() {
    Run run = runs.pollFirst();
    if (run != null) {
      blocks -= run.blocks();
    }
    return run;
  }

  /** Blocks of all runs that wait. */
  long blocks() {
    return blocks;
  }
}
