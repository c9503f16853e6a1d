// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.write;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.rdio.core.FallbackException;
import java.util.ArrayDeque;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The stripes of one group whose parity is not written yet: it is, one after the other, by a thread
 * that is there while there are any. One stripe's memory stays the group's to its end, so that it
 * can always go on, if only behind what waits: but for memory that a device which was given up may
 * still read from, which is given back when the device has answered. Thread-safe.
 */
final class ParityLine {
  private static final Logger LOG = LoggerFactory.getLogger(ParityLine.class);

  private final Executor executor;
  private final StripeMemory memory;
  private final StripeLayout layout;
  private final Consumer<Filled> work;

  @GuardedBy("this")
  private final ArrayDeque<Filled> waiting = new ArrayDeque<>();

  @GuardedBy("this")
  private @Nullable Runnable last;

  @GuardedBy("this")
  private @Nullable Stripe spare;

  @GuardedBy("this")
  private boolean running;

  /** Whether no stripe comes any more. */
  @GuardedBy("this")
  private boolean isEnded;

  /**
   * A stripe whose data is there.
   *
   * @param bytes data in it
   * @param cells writes from it: those of its data were begun
   */
  record Filled(Stripe stripe, int bytes, CellWrites cells) {}

  /**
   * @param layout of all stripes
   * @param work writes the parity of a stripe, and returns when all writes from it are over, or
   *     have had their time; what it throws is logged
   */
  ParityLine(Executor executor, StripeMemory memory, StripeLayout layout, Consumer<Filled> work) {
    this.executor = executor;
    this.memory = memory;
    this.layout = layout;
    this.work = work;
  }

  /** Puts a stripe behind the others; it is this object's from now on. */
  void add(Filled filled) {
    synchronized (this) {
      waiting.add(filled);
    }
    start();
  }

  private void start() {
    synchronized (this) {
      if (running) {
        return;
      }
      running = true;
    }
    try {
      executor.execute(this::run);
    } catch (RejectedExecutionException | OutOfMemoryError e) { // no thread: done here
      run();
    }
  }

  private void run() {
    for (Runnable next = next(); next != null; next = next()) {
      try {
        next.run();
      } catch (Throwable e) { // or those behind it would wait for ever
        LOG.error("RDIO: the parity of a stripe failed", e);
      }
    }
  }

  private synchronized @Nullable Runnable next() {
    Filled filled = waiting.peekFirst();
    if (filled != null) {
      return () -> make(filled);
    }
    Runnable end = last;
    last = null;
    if (end == null) {
      running = false;
      notifyAll();
    }
    return end;
  }

  private void make(Filled filled) {
    try {
      work.accept(filled);
    } finally {
      made(filled);
    }
  }

  private synchronized void made(Filled filled) {
    waiting.remove(filled);
    if (spare == null && !isEnded && filled.cells().isOver()) {
      spare = filled.stripe();
    } else {
      giveWhenOver(filled);
    }
    notifyAll();
  }

  /** A device may read from it for as long as it likes, and nobody else uses it before. */
  private void giveWhenOver(Filled filled) {
    if (filled.cells().isOver()) {
      memory.give(filled.stripe());
    } else {
      filled.cells().whenOver(() -> memory.give(filled.stripe()));
    }
  }

  /**
   * Memory for the group's next stripe, behind one that was {@linkplain #add added}.
   *
   * @param isImmediate whether to wait until nothing waits; else that is done only where there is
   *     no further memory
   * @throws FallbackException if a device that was given up may still read from all that the group
   *     had, and there is no other, as {@link StripeMemory#instead} says
   */
  Stripe next(boolean isImmediate) throws FallbackException {
    Stripe next = isImmediate ? null : further();
    if (next == null) {
      awaitEmpty();
      next = takeSpare();
    }
    return next == null ? memory.instead(layout) : next;
  }

  private synchronized @Nullable Stripe further() {
    Stripe kept = takeSpare();
    return kept == null ? memory.further(layout) : kept;
  }

  private synchronized @Nullable Stripe takeSpare() {
    Stripe kept = spare;
    spare = null;
    return kept;
  }

  /**
   * No stripe comes any more: from now on memory that nobody uses is given back, and not kept for
   * another one. What is left to do takes none, and may wait for DataNodes.
   */
  void end() {
    synchronized (this) {
      isEnded = true;
    }
    giveSpare();
  }

  private void giveSpare() {
    Stripe kept = takeSpare();
    if (kept != null) {
      memory.give(kept);
    }
  }

  /** Returns when no stripe waits, and none is under way; also when this thread is interrupted. */
  synchronized void awaitEmpty() {
    boolean wasInterrupted = false;
    while (!waiting.isEmpty()) {
      try {
        wait();
      } catch (InterruptedException e) {
        wasInterrupted = true;
      }
    }
    if (wasInterrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Has something done behind all stripes.
   *
   * @param work the same
   */
  void whenEmpty(Runnable work) {
    synchronized (this) {
      last = work;
    }
    start();
  }

  /**
   * Drops what nobody has begun, and waits for what somebody has; then the memory is back, but for
   * what a device that was given up may still read from. The group's own writes are over, or have
   * had their time.
   *
   * @param filling the stripe that is being filled; null if there is none
   */
  void close(@Nullable Filled filling) {
    synchronized (this) {
      while (waiting.size() > 1) {
        giveWhenOver(waiting.removeLast());
      }
    }
    awaitEmpty();
    giveSpare();
    if (filling != null) {
      giveWhenOver(filling);
    }
  }
}
