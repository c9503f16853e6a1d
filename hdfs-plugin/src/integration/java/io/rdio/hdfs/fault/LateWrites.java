// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.fault;

import io.rdio.core.testing.HangingFile;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.random.RandomGenerator;

/**
 * A fabric that finishes tries late: it holds some writes for a while, and does each of them once
 * more, at a moment by chance. All that is over within a bound, which is what the DataNode's {@code
 * I} has to cover: a second try whose time has gone by, on a machine that is busy, is dropped.
 */
final class LateWrites implements HangingFile.WriteQueue, AutoCloseable {
  private static final int ONE_OF = 64;

  /** Parts of the bound: a write is held for one at most, its second try comes within two more. */
  private static final int PARTS = 4;

  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          run -> {
            Thread thread = new Thread(run, "late-writes");
            thread.setDaemon(true);
            return thread;
          });
  private final RandomGenerator random;
  private final long partNanos;
  private final LongAdder held = new LongAdder();
  private final LongAdder repeated = new LongAdder();

  /**
   * @param random for this object alone
   * @param boundMillis from a write's coming to the last moment at which it can land
   */
  LateWrites(RandomGenerator random, long boundMillis) {
    this.random = random;
    this.partNanos = TimeUnit.MILLISECONDS.toNanos(boundMillis) / PARTS;
  }

  /** A moment within so many parts of the bound. */
  private synchronized long delayNanos(int parts) {
    return random.nextLong(parts * partNanos);
  }

  private synchronized boolean isChosen() {
    return random.nextInt(ONE_OF) == 0;
  }

  @Override
  public boolean holds(Runnable write) {
    if (!isChosen()) {
      return false;
    }
    held.increment();
    return later(write, delayNanos(1));
  }

  @Override
  public void done(Runnable again) {
    long delay = delayNanos(2);
    long due = System.nanoTime() + delay;
    later(
        () -> {
          if (System.nanoTime() - due < partNanos) {
            again.run();
            repeated.increment();
          }
        },
        delay);
  }

  /** False when this is closed. */
  @SuppressWarnings("FutureReturnValueIgnored") // who waits for it waits for the write
  private boolean later(Runnable write, long delayNanos) {
    try {
      timer.schedule(write, delayNanos, TimeUnit.NANOSECONDS);
      return true;
    } catch (RejectedExecutionException closed) {
      return false;
    }
  }

  /** Writes that were answered late. */
  long held() {
    return held.sum();
  }

  /** Writes that were done twice. */
  long repeated() {
    return repeated.sum();
  }

  /** Lets all that is held and to be repeated land; returns when it has. */
  @Override
  public void close() {
    timer.shutdown();
    boolean ended = false;
    try {
      ended = timer.awaitTermination(1, TimeUnit.MINUTES);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (!ended) {
      throw new IllegalStateException("late writes do not land");
    }
  }
}
