// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.filemap;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The one thread of a FileMap cache: does what is due, then sleeps until the next need. */
final class LeaseKeeper implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LeaseKeeper.class);

  /** After an unexpected error. */
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** With nothing to do. */
  private static final long LONG_PAUSE_NANOS = TimeUnit.DAYS.toNanos(1);

  private final LongSupplier work;
  private final Object lock = new Object();
  private final Thread thread = new Thread(this::run, "rdio-lease-keeper");
  private long dueNanos = System.nanoTime() + LONG_PAUSE_NANOS;
  private boolean closed;

  /**
   * @param work what is due; gives the nanoseconds until it should be called again
   */
  LeaseKeeper(LongSupplier work) {
    this.work = work;
    thread.setDaemon(true);
    thread.setContextClassLoader(LeaseKeeper.class.getClassLoader());
  }

  void start() {
    thread.start();
  }

  /** Whether its thread runs. */
  boolean isAlive() {
    return thread.isAlive();
  }

  /** Has the work done within so many nanoseconds from now, if not before. */
  void within(long nanos) {
    long due = System.nanoTime() + nanos;
    synchronized (lock) {
      if (due - dueNanos < 0) {
        dueNanos = due;
        lock.notifyAll();
      }
    }
  }

  private void run() {
    while (sleep(work())) {
      // all is done by the condition
    }
  }

  private long work() {
    try {
      return work.getAsLong();
    } catch (RuntimeException e) {
      // Leases that are not looked after run out, which is safe; the next round may do better.
      LOG.warn("RDIO: lease keeper failed; leases run out unless it recovers", e);
      return PAUSE_NANOS;
    }
  }

  private boolean sleep(long nanos) {
    within(Math.min(nanos, LONG_PAUSE_NANOS));
    synchronized (lock) {
      try {
        long left = dueNanos - System.nanoTime();
        while (!closed && left > 0) {
          TimeUnit.NANOSECONDS.timedWait(lock, left);
          left = dueNanos - System.nanoTime();
        }
      } catch (InterruptedException e) {
        return false;
      }
      dueNanos = System.nanoTime() + LONG_PAUSE_NANOS;
      return !closed;
    }
  }

  /** Waits for the work under way, so that what it sends is sent; but not for long. */
  @Override
  public void close() {
    synchronized (lock) {
      closed = true;
      lock.notifyAll();
    }
    try {
      thread.join(TimeUnit.SECONDS.toMillis(1));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
