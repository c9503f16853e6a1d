// SPDX-License-Identifier: Apache-2.0
package io.rdio.exclusive.prefcache;

import java.io.IOException;
import java.util.concurrent.locks.ReentrantLock;

/**
 * What compute nodes read and write, on its way from the observer into the cache. It is fetched now
 * and then, and so comes late: by some milliseconds, or by as much as a busy machine keeps the
 * thread from running. What a compute node evicts it has read or written before, so whoever takes
 * evictions first calls {@link #catchUp}: a read that came behind its own block's eviction would
 * pass for one that wants the block back, count a hit that is none, and let go of the block.
 * Thread-safe.
 */
final class ObservedRequests implements AutoCloseable {
  /** Without waiting; as often as it takes to empty the ring buffer of a full one's requests. */
  private static final int CATCH_UP_POLLS = 32;

  private final IoObserver observer;
  private final IoObserver.Listener listener;

  // Fair, for one thread takes it again and again.
  private final ReentrantLock lock = new ReentrantLock(true);
  private boolean closed;

  /**
   * @param observer closed together with this
   * @param listener told of all requests, by one thread at a time
   */
  ObservedRequests(IoObserver observer, IoObserver.Listener listener) {
    this.observer = observer;
    this.listener = listener;
  }

  /** Tells of what was completed since the last time; waits a little if there is not much yet. */
  void poll(int timeoutMillis) throws IOException {
    lock.lock();
    try {
      if (!closed) {
        observer.poll(timeoutMillis, listener);
      }
    } finally {
      lock.unlock();
    }
  }

  /** When it returns, all that was completed before it was called has been told. */
  void catchUp() throws IOException {
    lock.lock();
    try {
      for (int i = 0; !closed && i < CATCH_UP_POLLS && observer.poll(0, listener) > 0; i++) {
        // What is completed meanwhile is told too, but not waited for for ever.
      }
    } finally {
      lock.unlock();
    }
  }

  /** Requests that went unseen. */
  long lost() {
    return observer.lost();
  }

  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      observer.close();
    } finally {
      lock.unlock();
    }
  }
}
