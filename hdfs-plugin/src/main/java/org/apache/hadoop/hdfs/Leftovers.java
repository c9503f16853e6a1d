// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * What somebody else has begun of a group and does not write: stock HDFS cannot begin the group
 * where something of it is. It is being removed, or goes when the lease on it runs out. For one
 * thread.
 */
final class Leftovers {
  /** Longer than a write lease: who began it may have died, and it goes with that then. */
  static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);

  private static final long PAUSE_MIN_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
  private static final long PAUSE_MAX_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private final Look look;
  private final LongSupplier nanoTime;
  private final Runnable tick;

  /** Whether there is something of it. */
  @FunctionalInterface
  interface Look {
    /** Asks those where there may be something yet; true also where that is not known. */
    boolean isAnyLeft();
  }

  /**
   * @param nanoTime as {@link System#nanoTime}
   * @param tick called between two looks
   */
  Leftovers(Look look, LongSupplier nanoTime, Runnable tick) {
    this.look = look;
    this.nanoTime = nanoTime;
    this.tick = tick;
  }

  /**
   * Waits until there is nothing, or the time for it is over: stock HDFS goes on all the same then,
   * as long as there is something on no more DataNodes than the group has parity.
   *
   * @throws InterruptedIOException if the thread is interrupted; it still is then
   */
  void await() throws IOException {
    long began = nanoTime.getAsLong();
    long pause = PAUSE_MIN_NANOS;
    while (look.isAnyLeft()) {
      requireNoInterrupt();
      if (nanoTime.getAsLong() - began >= PATIENCE_NANOS) {
        DFSClient.LOG.warn("RDIO: {}; stock HDFS writes it all the same", look);
        return;
      }
      tick.run();
      LockSupport.parkNanos(pause);
      pause = Math.min(2 * pause, PAUSE_MAX_NANOS);
    }
    requireNoInterrupt(); // by which a look ends, too
  }

  private void requireNoInterrupt() throws InterruptedIOException {
    if (Thread.currentThread().isInterrupted()) {
      throw new InterruptedIOException("interrupted while this was waited for: " + look);
    }
  }
}
