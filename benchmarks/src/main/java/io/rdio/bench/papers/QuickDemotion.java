// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.papers;

import io.rdio.bench.simulator.Trace;
import io.rdio.s3fifo.policy.S3FifoEntry;
import io.rdio.s3fifo.policy.S3FifoOptions;
import io.rdio.s3fifo.policy.S3FifoPolicy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How soon objects leave that were not asked for again, and whether that was right: the S3-FIFO
 * paper's speed and precision of quick demotion (§6.1). Counted is the middle half of a trace: the
 * cache is full by then, and objects have a next request. For one thread.
 */
final class QuickDemotion {
  /** A request that never comes. */
  private static final int NEVER = Integer.MAX_VALUE;

  private final Trace trace;

  /** An object that left. */
  private record Demotion(int object, int at, int age) {}

  /**
   * What came of a cache.
   *
   * @param age mean of requests between an object's coming and its leaving; NaN if none left
   * @param precision share of objects that were not asked for again within the time that a cache of
   *     this size keeps an object: its size divided by the miss ratio
   */
  record Outcome(double age, double precision) {}

  QuickDemotion(Trace trace) {
    this.trace = trace;
  }

  /** S3-FIFO with a small queue of this share; what leaves main is no demotion. */
  Outcome s3Fifo(int capacity, double smallShare) {
    return new S3Fifo(capacity, smallShare).run();
  }

  /** LRU; whatever leaves. */
  Outcome lru(int capacity) {
    int[] came = new int[trace.objects()];
    int[] last = new int[trace.objects()];
    boolean[] resident = new boolean[trace.objects()];
    // Oldest request first; the first of an object that is not its last is out of date.
    int oldest = 0;
    int size = 0;
    int misses = 0;
    List<Demotion> demotions = new ArrayList<>();
    for (int i = 0; i < trace.length(); i++) {
      int object = trace.object(i);
      if (!resident[object]) {
        misses++;
        came[object] = i;
        resident[object] = true;
        size++;
        while (size > capacity) {
          int candidate = trace.object(oldest);
          if (resident[candidate] && last[candidate] == oldest) {
            resident[candidate] = false;
            size--;
            demotions.add(new Demotion(candidate, i, i - came[candidate]));
          }
          oldest++;
        }
      }
      last[object] = i;
    }
    return outcome(demotions, capacity, misses);
  }

  private Outcome outcome(List<Demotion> demotions, int capacity, int misses) {
    double kept = (double) capacity * trace.length() / misses;
    int[] next = new int[trace.objects()];
    List<Demotion> counted =
        demotions.stream()
            .filter(
                one -> one.at() >= trace.length() / 4 && one.at() < (long) trace.length() * 3 / 4)
            .toList();
    long right = 0;
    long ages = 0;
    int request = trace.length() - 1;
    Arrays.fill(next, NEVER);
    // From the last one backwards, so that next has what comes behind each.
    for (int i = counted.size() - 1; i >= 0; i--) {
      Demotion one = counted.get(i);
      for (; request > one.at(); request--) {
        next[trace.object(request)] = request;
      }
      ages += one.age();
      if (next[one.object()] == NEVER || next[one.object()] > one.at() + kept) {
        right++;
      }
    }
    int count = counted.size();
    return new Outcome((double) ages / count, (double) right / count);
  }

  /** One run of S3-FIFO. */
  private final class S3Fifo {
    private final S3FifoPolicy<Entry> policy;
    private final int capacity;
    private final @Nullable Entry[] resident = new @Nullable Entry[trace.objects()];
    private final List<Demotion> demotions = new ArrayList<>();
    private int now;

    S3Fifo(int capacity, double smallShare) {
      this.capacity = capacity;
      this.policy =
          new S3FifoPolicy<>(
              capacity, false, new S3FifoOptions(smallShare, 0.9, false), this::evict);
    }

    Outcome run() {
      int misses = 0;
      for (now = 0; now < trace.length(); now++) {
        int object = trace.object(now);
        Entry entry = resident[object];
        if (entry != null) {
          entry.hit();
          entry.hits++;
          continue;
        }
        misses++;
        entry = new Entry(object, now);
        resident[object] = entry;
        long ghostHits = policy.ghostHits();
        policy.insert(entry);
        entry.remembered = policy.ghostHits() > ghostHits;
      }
      return outcome(demotions, capacity, misses);
    }

    private boolean evict(Entry entry) {
      resident[entry.object] = null;
      if (!entry.remembered && entry.hits < S3FifoOptions.PAPER.hitsToPromote()) {
        demotions.add(new Demotion(entry.object, now, now - entry.came));
      }
      return true;
    }
  }

  private static final class Entry extends S3FifoEntry {
    private final int object;
    private final int came;
    private int hits;
    private boolean remembered; // by the ghost queue when it came: it never was in small

    Entry(int object, int came) {
      this.object = object;
      this.came = came;
    }

    @Override
    public int fingerprint() {
      return object;
    }
  }
}
