// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.write;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The same work for several targets at the same time: by the thread that asks for it, and by those
 * of an executor. Whichever has time takes the next target, so that it is done, if more slowly,
 * without the executor, too.
 */
final class Round implements Runnable {
  private final IntConsumer work;
  private final AtomicLong waiting;

  @GuardedBy("this")
  private int left;

  @GuardedBy("this")
  private @Nullable Throwable failure;

  private Round(long targets, IntConsumer work) {
    this.work = work;
    this.waiting = new AtomicLong(targets);
    this.left = Long.bitCount(targets);
  }

  /**
   * Returns when the work is done for all targets, and not before: also when this thread is
   * interrupted, for the memory that is worked with is the caller's again then.
   *
   * @param targets a bit for each
   * @param work gets a target's number. What it throws is thrown here, when all are done.
   */
  static void run(Executor others, long targets, IntConsumer work) {
    if (Long.bitCount(targets) == 1) {
      work.accept(Long.numberOfTrailingZeros(targets));
      return;
    }
    Round round = new Round(targets, work);
    round.askFor(others, Long.bitCount(targets) - 1);
    round.finish();
  }

  /**
   * Begins the work, which goes on behind this; {@link #finish} or {@link #leave} must follow.
   *
   * @param targets a bit for each
   * @param work as of {@link #run}
   */
  static Round begin(Executor others, long targets, IntConsumer work) {
    Round round = new Round(targets, work);
    round.askFor(others, Long.bitCount(targets));
    return round;
  }

  private void askFor(Executor others, int threads) {
    try {
      for (int i = 0; i < threads; i++) {
        others.execute(this);
      }
    } catch (RejectedExecutionException e) {
      // Who finishes does it.
    }
  }

  /** Does what nobody has begun yet, and waits for the rest; otherwise as {@link #run}. */
  void finish() {
    run();
    await();
    throwIfFailed();
  }

  /** Leaves out what nobody has begun yet, and waits for the rest, however that ends. */
  void leave() {
    int notBegun = Long.bitCount(waiting.getAndSet(0));
    synchronized (this) {
      left -= notBegun;
    }
    await();
  }

  @Override
  public void run() {
    long waits = waiting.get();
    while (waits != 0) {
      long first = Long.lowestOneBit(waits);
      if (waiting.compareAndSet(waits, waits & ~first)) {
        runFor(Long.numberOfTrailingZeros(first));
      }
      waits = waiting.get();
    }
  }

  private void runFor(int target) {
    Throwable thrown = null;
    try {
      work.accept(target);
    } catch (Throwable e) {
      thrown = e;
    }
    done(thrown);
  }

  private synchronized void done(@Nullable Throwable thrown) {
    if (thrown != null) {
      failure = thrown;
    }
    left--;
    notifyAll();
  }

  private synchronized void await() {
    boolean wasInterrupted = false;
    while (left > 0) {
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

  private synchronized void throwIfFailed() {
    if (failure instanceof Error error) {
      throw error;
    }
    if (failure instanceof RuntimeException exception) {
      throw exception;
    }
  }
}
