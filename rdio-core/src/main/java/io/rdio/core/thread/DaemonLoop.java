// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.thread;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A daemon thread that takes one step after the other until it is closed, and that nothing else
 * ends: a step may throw whatever it likes, an Error included, and may be interrupted by whoever
 * got hold of the thread. A step that threw is counted, and the next one follows a second later.
 * Thread-safe.
 */
public final class DaemonLoop implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(DaemonLoop.class);
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long CLOSE_MILLIS = TimeUnit.SECONDS.toMillis(10);
  private static final long LOGGED_EVERY_NANOS = TimeUnit.MINUTES.toNanos(1);

  /** One turn of the loop; it waits for its work itself, in a way that {@link #close} ends. */
  @FunctionalInterface
  public interface Step {
    /**
     * Takes it.
     *
     * @throws InterruptedException where it was woken; the loop goes on unless it is closed
     */
    void take() throws Exception;
  }

  private final Step step;
  private final LongAdder failures;
  private final long pauseNanos;
  private final long closeMillis;
  private final Thread thread;
  private final Object lock = new Object();
  private volatile boolean closed;
  private boolean logged;
  private long loggedNanos;

  /**
   * Not started.
   *
   * @param failures counts the steps that threw
   */
  public DaemonLoop(String name, Step step, LongAdder failures) {
    this(name, step, failures, PAUSE_NANOS, CLOSE_MILLIS);
  }

  DaemonLoop(String name, Step step, LongAdder failures, long pauseNanos, long closeMillis) {
    this.step = step;
    this.failures = failures;
    this.pauseNanos = pauseNanos;
    this.closeMillis = closeMillis;
    this.thread = DaemonThreads.daemon(name, this::run);
  }

  public void start() {
    thread.start();
  }

  /** Whether its thread runs. */
  public boolean isAlive() {
    return thread.isAlive();
  }

  private void run() {
    while (!closed) {
      try {
        step.take();
      } catch (InterruptedException e) {
        // Closed, which ends the loop; or meant for somebody else.
      } catch (Throwable e) {
        failed(e);
      }
    }
  }

  private void failed(Throwable failure) {
    failures.increment();
    try {
      log(failure);
    } catch (Throwable e) {
      // Without memory there is no message either; it was counted.
    }
    try {
      pause();
    } catch (InterruptedException e) {
      // The next step comes sooner, that is all.
    }
  }

  /** One that comes back with each step must not fill the log. */
  private void log(Throwable failure) {
    long now = System.nanoTime();
    if (!logged || now - loggedNanos > LOGGED_EVERY_NANOS) {
      logged = true;
      loggedNanos = now;
      LOG.error("RDIO: {} goes on after an error", thread.getName(), failure);
    } else {
      LOG.debug("RDIO: {} goes on after an error", thread.getName(), failure);
    }
  }

  private void pause() throws InterruptedException {
    long end = System.nanoTime() + pauseNanos;
    synchronized (lock) {
      long left = pauseNanos;
      while (!closed && left > 0) {
        TimeUnit.NANOSECONDS.timedWait(lock, left);
        left = end - System.nanoTime();
      }
    }
  }

  /** Asks it to end after the step under way; returns at once. */
  public void end() {
    synchronized (lock) {
      closed = true;
      lock.notifyAll();
    }
  }

  /**
   * Waits for the end that {@link #end} asked for.
   *
   * @return whether the thread ended in that time
   */
  public boolean awaitEnd(long millis) throws InterruptedException {
    thread.join(millis);
    return !thread.isAlive();
  }

  /**
   * Interrupts the step under way and waits for its end, though not for ever: one that a device
   * holds up goes on alone, and is the last.
   */
  @Override
  public void close() {
    end();
    thread.interrupt();
    try {
      if (!awaitEnd(closeMillis)) {
        LOG.warn(
            "RDIO: {} does not end within {} ms; it is left to itself",
            thread.getName(),
            closeMillis);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
