// SPDX-License-Identifier: Apache-2.0
package io.rdio.exclusive.prefcache;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.rdio.exclusive.prefcache.PrefetchQueue.Run;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The cache with its store and its queue: what compute nodes evict, read and write goes in here,
 * and out come runs to prefetch. Thread-safe.
 *
 * <p>Two kinds of locks. This object's monitor guards segments, queue and the store's index and is
 * held for no I/O. {@link RangeLocks} order the I/O on the same blocks: a prefetch from before it
 * reads the device until its blocks are valid, an in-process read or write while it is at work, and
 * the page cache's letting go from the look at what is wanted until it is done. A range is always
 * locked before the monitor.
 */
final class PrefCache implements AutoCloseable {
  /** Makes the policy's core for the listener that this class has for it. */
  @FunctionalInterface
  interface CacheFactory {
    SegmentCache create(SegmentCache.Listener listener);
  }

  /** So that nobody waits long for the monitor; whole segments. */
  private static final int BLOCKS_AT_A_TIME = 4096;

  @GuardedBy("this")
  private final SegmentCache cache;

  private final SegmentStore store;

  @GuardedBy("this")
  private final PrefetchQueue queue;

  private final RangeLocks locks = new RangeLocks();

  @GuardedBy("this")
  private boolean closed;

  PrefCache(CacheFactory factory, SegmentStore store, PrefetchQueue queue) {
    this.store = store;
    this.queue = queue;
    this.cache = factory.create(new Decisions());
  }

  /** Within the monitor, as everything that calls the cache. */
  private final class Decisions implements SegmentCache.Listener {
    @Override
    @GuardedBy("PrefCache.this")
    public void prefetch(int device, long firstBlock, int blocks) {
      if (!queue.offer(device, firstBlock, blocks)) {
        cache.prefetchFailed(device, firstBlock, blocks);
      }
    }

    @Override
    public void discard(int device, long firstBlock, int blocks) {
      store.release(device, firstBlock, blocks);
    }
  }

  /**
   * A compute node evicted blocks.
   *
   * @return how many of them are to be prefetched
   */
  int evicted(int device, long firstBlock, int blocks) {
    int admitted = 0;
    for (int at = 0; at < blocks; at += BLOCKS_AT_A_TIME) {
      int count = Math.min(BLOCKS_AT_A_TIME, blocks - at);
      synchronized (this) {
        admitted += cache.evictedAtCompute(device, firstBlock + at, count);
        notifyAll();
      }
    }
    return admitted;
  }

  /** A compute node has read blocks by way of the kernel, as an observer saw. */
  synchronized void wasRead(int device, long firstBlock, int blocks) {
    cache.read(device, firstBlock, blocks);
    store.releaseRead(device, firstBlock, blocks);
  }

  /** A compute node has written blocks by way of the kernel, as an observer saw. */
  synchronized void wasWritten(int device, long firstBlock, int blocks) {
    cache.written(device, firstBlock, blocks);
    store.releaseWritten(device, firstBlock, blocks);
  }

  /** The run that waits longest, without taking it; null if there is none within the time. */
  synchronized @Nullable Run awaitRun(long timeoutMillis) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
    for (long left = end - System.nanoTime();
        queue.peek() == null && left > 0 && !closed;
        left = end - System.nanoTime()) {
      TimeUnit.NANOSECONDS.timedWait(this, left);
    }
    return queue.peek();
  }

  /**
   * Prefetches the run that waits longest, if there is one. For one thread.
   *
   * @return blocks that are valid now
   * @throws IOException if the device failed; the blocks are given up, and the next run may do
   */
  int prefetchNext() throws IOException, InterruptedException {
    Run run;
    synchronized (this) {
      run = queue.poll();
      // Read, written or evicted while it waited: nobody wants it any more.
      if (run == null || cache.fetching(run.device(), run.first(), run.blocks()) == 0) {
        return 0;
      }
    }
    return locks.lock(run.device(), run.first(), run.blocks(), () -> prefetch(run));
  }

  private int prefetch(Run run) throws IOException {
    boolean fetched = false;
    try {
      store.fetch(run.device(), run.first(), run.blocks());
      fetched = true;
    } finally {
      if (!fetched) {
        giveUp(run);
      }
    }
    return admit(run);
  }

  private synchronized void giveUp(Run run) {
    cache.prefetchFailed(run.device(), run.first(), run.blocks());
    store.release(run.device(), run.first(), run.blocks());
  }

  /** What of a run is still wanted becomes valid; what was overtaken goes. */
  private synchronized int admit(Run run) {
    int admitted = 0;
    for (long at = run.first(); at < run.end(); ) {
      boolean wanted = cache.fetching(run.device(), at, 1) == 1;
      long end = at + 1;
      while (end < run.end() && (cache.fetching(run.device(), end, 1) == 1) == wanted) {
        end++;
      }
      int blocks = (int) (end - at);
      if (wanted) {
        store.admit(run.device(), at, blocks);
        admitted += cache.prefetched(run.device(), at, blocks);
      } else {
        releaseUnlessValid(run.device(), at, end);
      }
      at = end;
    }
    return admitted;
  }

  @GuardedBy("this")
  private void releaseUnlessValid(int device, long first, long end) {
    for (long block = first; block < end; block++) {
      if (!cache.isValid(device, block)) {
        store.release(device, block, 1);
      }
    }
  }

  /** Lets the store do what it put off. For one thread, now and then. */
  void settle() throws IOException, InterruptedException {
    store.settle(this::forEachUnwanted);
  }

  private void forEachUnwanted(
      int device, long firstBlock, int blocks, SegmentStore.RunConsumer consumer)
      throws IOException, InterruptedException {
    locks.lock(
        device,
        firstBlock,
        blocks,
        () -> {
          List<Run> runs = unwanted(device, firstBlock, blocks);
          for (Run run : runs) {
            consumer.accept(run.first(), run.blocks());
          }
          return runs;
        });
  }

  private synchronized List<Run> unwanted(int device, long firstBlock, int blocks) {
    List<Run> runs = new ArrayList<>();
    long end = firstBlock + blocks;
    for (long at = firstBlock; at < end; at++) {
      long from = at;
      while (at < end && !cache.isWanted(device, at)) {
        at++;
      }
      if (at > from) {
        runs.add(new Run(device, from, (int) (at - from)));
      }
    }
    return runs;
  }

  /** What is cached and what was done. */
  synchronized SegmentCounts counts() {
    return cache.counts();
  }

  /** Blocks that wait to be prefetched. */
  synchronized long queuedBlocks() {
    return queue.blocks();
  }

  SegmentStore store() {
    return store;
  }

  /** Wakes whoever waits for runs, and closes the store; nobody may be prefetching any more. */
  @Override
  public void close() throws IOException {
    synchronized (this) {
      closed = true;
      notifyAll();
    }
    store.close();
  }
}
