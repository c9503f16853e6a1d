// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.leases;

import java.util.concurrent.CancellationException;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * A thread for code that waits, in a simulation that does not: it runs only while the thread of the
 * events stands still for it, and stands still itself while it waits in virtual time. So there is
 * one thread at a time, and what is done is done in the same order each time.
 */
final class Turn extends Thread {
  private final Semaphore mine = new Semaphore(0);
  private final Semaphore others = new Semaphore(0);
  private final Runnable work;
  private volatile boolean over;
  private volatile boolean cancelled;
  private volatile @Nullable Throwable failure;

  private Turn(String name, Runnable work) {
    super(name);
    this.work = work;
  }

  /** One whose work begins with the first {@link #goOn}. */
  static Turn of(String name, Runnable work) {
    Turn turn = new Turn(name, work);
    turn.setDaemon(true);
    turn.start();
    return turn;
  }

  /** That of this thread; null on the thread of the events. */
  static @Nullable Turn current() {
    return Thread.currentThread() instanceof Turn turn ? turn : null;
  }

  @Override
  public void run() {
    mine.acquireUninterruptibly();
    try {
      if (!cancelled) {
        work.run();
      }
    } catch (Throwable e) {
      failure = cancelled ? null : e;
    } finally {
      over = true;
      others.release();
    }
  }

  /**
   * Lets it run until it waits or is over; for the thread of the events.
   *
   * @throws IllegalStateException if its work failed
   */
  void goOn() {
    if (over) {
      return;
    }
    mine.release();
    others.acquireUninterruptibly();
    Throwable thrown = failure;
    if (thrown != null) {
      throw new IllegalStateException(getName() + " failed", thrown);
    }
  }

  /**
   * Waits for the next {@link #goOn}; for this thread itself.
   *
   * @throws CancellationException if it was ended meanwhile
   */
  void await() {
    others.release();
    mine.acquireUninterruptibly();
    if (cancelled) {
      throw new CancellationException(getName() + " is over");
    }
  }

  /** Ends its work where it waits; for the thread of the events. */
  void end() {
    cancelled = true;
    goOn();
  }
}
