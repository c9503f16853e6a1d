// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.time;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.rdio.core.thread.DaemonLoop;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/**
 * A thread that looks after leases: does what is due, then sleeps until the next need. Work that
 * fails, an Error included, is done again a second later: leases that are not looked after run out,
 * which is safe, but without it nobody would renew any again. Thread-safe.
 */
public final class LeaseKeeper implements Keeper {
  /** With nothing to do. */
  private static final long LONG_PAUSE_NANOS = TimeUnit.DAYS.toNanos(1);

  private final LongSupplier work;
  private final Object lock = new Object();
  private final DaemonLoop loop;

  @GuardedBy("lock")
  private long dueNanos = System.nanoTime();

  @GuardedBy("lock")
  private boolean closed;

  /**
   * Not started.
   *
   * @param name of its thread
   * @param work what is due; gives the nanoseconds until it should be called again
   * @param failures counts work that threw
   */
  public LeaseKeeper(String name, LongSupplier work, LongAdder failures) {
    this.work = work;
    this.loop = new DaemonLoop(name, this::step, failures);
  }

  @Override
  public void start() {
    loop.start();
  }

  /** Whether its thread runs. */
  boolean isAlive() {
    return loop.isAlive();
  }

  @Override
  public void within(long nanos) {
    long due = System.nanoTime() + nanos;
    synchronized (lock) {
      if (due - dueNanos < 0) {
        dueNanos = due;
        lock.notifyAll();
      }
    }
  }

  private void step() throws InterruptedException {
    if (awaitDue()) {
      long pause = LONG_PAUSE_NANOS;
      try {
        pause = work.getAsLong();
      } catch (Throwable e) {
        pause = 0; // again as soon as the loop has recovered
        throw e;
      } finally {
        within(Math.min(pause, LONG_PAUSE_NANOS));
      }
    }
  }

  /** Waits until work is due, and takes it on; false once closed. */
  private boolean awaitDue() throws InterruptedException {
    synchronized (lock) {
      long left = dueNanos - System.nanoTime();
      while (!closed && left > 0) {
        TimeUnit.NANOSECONDS.timedWait(lock, left);
        left = dueNanos - System.nanoTime();
      }
      dueNanos = System.nanoTime() + LONG_PAUSE_NANOS;
      return !closed;
    }
  }

  /** Waits for the work under way, so that what it sends is sent; but not for long. */
  @Override
  public void close() {
    loop.end();
    synchronized (lock) {
      closed = true;
      lock.notifyAll();
    }
    try {
      loop.awaitEnd(TimeUnit.SECONDS.toMillis(1));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
