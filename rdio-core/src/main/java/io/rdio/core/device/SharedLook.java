// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.device;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.Setting;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Looks at one thing, one at a time, each for all who asked before it began: what they have read
 * until then is as it says (R7 of docs/metadata-plane.md). One of those who ask looks, for all that
 * wait. Safe for any number of threads.
 */
public final class SharedLook<T> {
  private final String what;
  private final DeviceLooks.Look<T> look;
  private final Duration timeout;
  private final Runnable onShared;
  private final ReentrantLock looking = new ReentrantLock();

  /** Looks that have begun; written under the lock. */
  private volatile long begun;

  // Under the lock.
  private Ended<T> last;

  /**
   * What a look came to.
   *
   * @param outcome gives what was found, or throws
   */
  private record Ended<T>(long number, DeviceLooks.Look<T> outcome) {}

  /**
   * @param what is looked at, for messages
   * @param look what it throws is everybody's, but for INTERRUPTED
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
    long wanted = begun + 1;
    takeTurn();
    try {
      if (last.number() < wanted) {
        return lookFirst();
      }
      onShared.run();
      return last.outcome().at();
    } finally {
      looking.unlock();
    }
  }

  private void takeTurn() throws FallbackException {
    try {
      if (timeout.isZero()) {
        looking.lockInterruptibly();
      } else if (!looking.tryLock(timeout.toNanos(), TimeUnit.NANOSECONDS)) {
        throw new FallbackException(
            FallbackReason.DEVICE_TIMEOUT,
            "others have looked at "
                + what
                + " for longer than "
                + Setting.READ_TIMEOUT
                + ", "
                + timeout.toMillis()
                + " ms");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new FallbackException(FallbackReason.INTERRUPTED, "waiting to look at " + what);
    }
  }

  private T lookFirst() throws FallbackException {
    long number = begun + 1;
    begun = number;
    try {
      T found = look.at();
      last = new Ended<>(number, () -> found);
      return found;
    } catch (FallbackException e) {
      if (e.reason() != FallbackReason.INTERRUPTED) { // which is of this thread only
        last =
            new Ended<>(
                number,
                () -> {
                  throw e;
                });
      }
      throw e;
    }
  }
}
