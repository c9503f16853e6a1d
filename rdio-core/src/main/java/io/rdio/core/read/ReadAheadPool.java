// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.read;

import io.rdio.core.FallbackException;
import io.rdio.core.device.ReadQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jctools.queues.atomic.MpmcAtomicArrayQueue;
import org.jspecify.annotations.Nullable;

/**
 * The {@link ReadAhead}s of a JVM, lent to readers and taken back with their read queues, of which
 * there is a bounded number: readers beyond it do without. Safe for any number of threads, without
 * locks; allocates nothing once warm.
 */
public final class ReadAheadPool implements AutoCloseable {
  /** Each is a file descriptor and a few pages of the kernel's memory. */
  private static final int MAX_QUEUES = 64;

  /** Where queues come from. */
  @FunctionalInterface
  public interface QueueSource {
    /** A new queue; a refusal is final. */
    ReadQueue open() throws FallbackException;
  }

  private final WindowPool windows;
  private final int aheadBytes;
  private final QueueSource source;
  private final MpmcAtomicArrayQueue<ReadAhead> idle = new MpmcAtomicArrayQueue<>(MAX_QUEUES);
  private final AtomicInteger queues = new AtomicInteger();
  private volatile @Nullable FallbackException refusal;
  private volatile boolean closed;

  /**
   * @param aheadBytes how much a sequential reader may have under way, {@code
   *     dfs.client.rdio.read.ahead}; 0 for nothing but what it was asked for
   */
  public ReadAheadPool(WindowPool windows, int aheadBytes, QueueSource source) {
    this.windows = windows;
    this.aheadBytes = aheadBytes;
    this.source = source;
  }

  /** Why reads are made one after the other; null if several are under way at a time. */
  public @Nullable FallbackException refusal() {
    return refusal;
  }

  /** How much a sequential reader may have under way. */
  int aheadBytes() {
    return aheadBytes;
  }

  ReadAhead borrow() {
    ReadAhead ahead = idle.poll();
    return ahead != null ? ahead : new ReadAhead(windows, openQueue());
  }

  private @Nullable ReadQueue openQueue() {
    if (refusal != null || queues.get() >= MAX_QUEUES) {
      return null;
    }
    try {
      ReadQueue queue = source.open();
      queues.incrementAndGet();
      return queue;
    } catch (FallbackException e) {
      refusal = e;
      return null;
    }
  }

  /** Takes it back, with nothing in it and nothing under way. */
  void giveBack(ReadAhead ahead) {
    ahead.clear();
    if (ahead.maxWindows() == 1 && refusal == null) {
      return; // made when there were queues for others only
    }
    if (closed || !idle.offer(ahead)) {
      queues.decrementAndGet();
      ahead.close();
    } else if (closed) {
      close();
    }
  }

  /** Frees what is idle; what is lent is freed when it comes back. */
  @Override
  public void close() {
    closed = true;
    for (ReadAhead ahead = idle.poll(); ahead != null; ahead = idle.poll()) {
      queues.decrementAndGet();
      ahead.close();
    }
  }
}
