// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.device;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.Setting;
import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Looks at one thing, one at a time, each for all who asked before it began: what they have read
 * until then is as it says (R7 of docs/metadata-plane.md). One of those who ask looks, for all that
 * wait: nobody waits for more than the look that is under way and the next one that comes to
 * something. A look that is interrupted, or fails by something else than a refusal, comes to
 * nothing: then the next of those that wait looks. Safe for any number of threads.
 */
public final class SharedLook<T> {
  private final String what;
  private final DeviceLooks.Look<T> look;
  private final Duration timeout;
  private final Runnable onShared;
  private final ReentrantLock state = new ReentrantLock();
  private final Condition ended = state.newCondition();

  // Nobody holds the lock while looking. Its owner would take it again before any of those who
  // wait.
  @GuardedBy("state")
  private long begun;

  @GuardedBy("state")
  private boolean looking;

  @GuardedBy("state")
  private Ended<T> last;

  /**
   * What a look came to.
   *
   * @param outcome gives what was found, or throws
   */
  private record Ended<T>(long number, DeviceLooks.Look<T> outcome) {}

  /**
   * @param what is looked at, for messages
   * @param look its refusals are everybody's, but for INTERRUPTED; what else it throws is of the
   *     thread that looked
   * @param timeout of waiting for another one's look to end; zero for as long as it takes
   * @param onShared called for each who is served by another one's look
   */
  public SharedLook(String what, DeviceLooks.Look<T> look, Duration timeout, Runnable onShared) {
    this.what = what;
    this.look = look;
    this.timeout = timeout;
    this.onShared = onShared;
    this.last = new Ended<>(0, look);
  }

  /**
   * What a look came to that began behind this call, whoever took it.
   *
   * @throws FallbackException what it came to; DEVICE_TIMEOUT if another one's takes too long;
   *     INTERRUPTED, which says nothing of what is looked at
   */
  public T look() throws FallbackException {
    Ended<T> served = awaitTurn();
    if (served == null) {
      return lookForAll();
    }
    onShared.run();
    return served.outcome().at();
  }

  /** Another one's look that began behind this call, and has ended; null: it is this one's turn. */
  private @Nullable Ended<T> awaitTurn() throws FallbackException {
    try {
      state.lockInterruptibly();
      try {
        long wanted = begun + 1;
        long left = timeout.isZero() ? Long.MAX_VALUE : timeout.toNanos();
        while (last.number() < wanted) {
          if (!looking) {
            looking = true;
            begun++;
            return null;
          }
          if (left <= 0) {
            throw tooLong();
          }
          left = ended.awaitNanos(left);
        }
        return last;
      } finally {
        state.unlock();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new FallbackException(FallbackReason.INTERRUPTED, "waiting to look at " + what);
    }
  }

  private FallbackException tooLong() {
    return new FallbackException(
        FallbackReason.DEVICE_TIMEOUT,
        "others have looked at "
            + what
            + " for longer than "
            + Setting.READ_TIMEOUT
            + ", "
            + timeout.toMillis()
            + " ms");
  }

  private T lookForAll() throws FallbackException {
    DeviceLooks.Look<T> outcome = null;
    try {
      T found = look.at();
      outcome = () -> found;
      return found;
    } catch (FallbackException e) {
      if (e.reason() != FallbackReason.INTERRUPTED) { // which is of this thread only
        outcome =
            () -> {
              throw e;
            };
      }
      throw e;
    } finally {
      end(outcome);
    }
  }

  private void end(DeviceLooks.@Nullable Look<T> outcome) {
    state.lock();
    try {
      // First: whatever fails behind this, nobody waits for a look that is over.
      looking = false;
      ended.signalAll();
      if (outcome != null) {
        last = new Ended<>(begun, outcome);
      }
    } finally {
      state.unlock();
    }
  }
}
