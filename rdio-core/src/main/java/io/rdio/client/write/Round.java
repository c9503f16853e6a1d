// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.write;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The same work for several targets at the same time, each by a thread of an executor: whoever asks
 * for it can give up one that takes too long, whose thread goes on with it. What the executor
 * rejects is done by who asks, so that it is done, if more slowly and for as long as it takes,
 * without the executor, too. Begun and ended by one thread.
 */
final class Round {
  private static final Logger LOG = LoggerFactory.getLogger(Round.class);

  /** A century, in nanoseconds: for work that has bounds of its own. */
  static final long ITS_OWN_TIME = Duration.ofDays(36_500).toNanos();

  private final IntConsumer work;

  /** Bits of the targets that nobody has begun. */
  private final AtomicLong waiting;

  /** Bits of those that the executor has rejected. */
  private long rejected;

  /** Those whose work is not over. */
  private final Pending left;

  @GuardedBy("this")
  private @Nullable Throwable failure;

  /** Whether nobody asks any more what became of it. */
  @GuardedBy("this")
  private boolean isOver;

  private Round(long targets, IntConsumer work) {
    this.work = work;
    this.waiting = new AtomicLong(targets);
    this.left = new Pending(targets);
  }

  /**
   * Begins the work, which goes on behind this; {@link #finish} or {@link #leave} must follow.
   *
   * @param others may reject work; what it takes it begins soon
   * @param targets a bit for each
   * @param work gets a target's number; what it throws {@link #finish} throws
   */
  static Round begin(Executor others, long targets, IntConsumer work) {
    Round round = new Round(targets, work);
    long rejected = 0;
    for (long rest = targets; rest != 0; rest &= rest - 1) {
      int target = Long.numberOfTrailingZeros(rest);
      if (!round.isTaken(others, target)) {
        rejected |= 1L << target;
      }
    }
    round.rejected = rejected;
    return round;
  }

  private boolean isTaken(Executor others, int target) {
    try {
      others.execute(() -> runIfWaiting(target));
      return true;
    } catch (RejectedExecutionException | OutOfMemoryError e) { // no thread
      return false;
    }
  }

  private void runIfWaiting(int target) {
    long bit = 1L << target;
    if ((waiting.getAndUpdate(bits -> bits & ~bit) & bit) != 0) {
      runFor(target);
    }
  }

  private void runFor(int target) {
    try {
      work.accept(target);
    } catch (Throwable e) {
      failed(e);
    } finally {
      left.remove(1L << target);
    }
  }

  private synchronized void failed(Throwable thrown) {
    if (isOver) {
      LOG.error("RDIO: what was given up has failed", thrown);
    } else {
      failure = thrown;
    }
  }

  /** Does what the executor has rejected, for those targets that are wanted. */
  void doRejected(long wanted) {
    for (long rest = rejected & wanted; rest != 0; rest &= rest - 1) {
      runIfWaiting(Long.numberOfTrailingZeros(rest));
    }
  }

  /**
   * Waits until the work is done for those targets that are wanted, but not longer than so long;
   * interrupts are kept for later. Of the others, and of those that take longer, what nobody has
   * begun is left out, and what somebody has goes on: {@link #isDone} tells.
   *
   * @param wanted a bit for each
   * @return bits of those that are wanted and not done
   */
  long finish(long wanted, long nanos) {
    doRejected(wanted);
    long late = left.await(wanted, nanos);
    leaveOut();
    throwIfFailed();
    return late;
  }

  /** Leaves out what nobody has begun, and waits for the rest as {@link #finish} does. */
  void leave(long wanted, long nanos) {
    leaveOut();
    left.await(wanted, nanos);
    end();
  }

  private void leaveOut() {
    left.remove(waiting.getAndSet(0));
  }

  private synchronized void end() {
    isOver = true;
    if (failure != null) {
      LOG.error("RDIO: what is given up has failed", failure);
    }
  }

  /** Whether nobody works any more. */
  boolean isDone() {
    return left.isEmpty();
  }

  private synchronized void throwIfFailed() {
    isOver = true;
    if (failure instanceof Error error) {
      throw error;
    }
    if (failure instanceof RuntimeException exception) {
      throw exception;
    }
  }
}
