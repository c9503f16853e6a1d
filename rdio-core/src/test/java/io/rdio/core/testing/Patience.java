// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.testing;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

/**
 * Waiting for what comes at once on a machine that has nothing else to do: Awaitility's own bound
 * of ten seconds is no more than a busy one may stand still for, and a thread's end has none.
 */
public final class Patience {
  private static final long MINUTES = 2;

  private Patience() {}

  /**
   * Waits for a thread's end.
   *
   * @throws AssertionError with the thread's stack, if it does not end
   */
  public static void join(Thread thread) throws InterruptedException {
    join(thread, Duration.ofMinutes(MINUTES));
  }

  /** The same of a thread that may take so long. */
  public static void join(Thread thread, Duration max) throws InterruptedException {
    thread.join(Math.max(1, max.toMillis()));
    if (thread.isAlive()) {
      AssertionError late =
          new AssertionError(
              thread.getName() + " has not ended in " + max.toSeconds() + " s; it is here:");
      late.setStackTrace(thread.getStackTrace());
      throw late;
    }
  }

  /** As {@link Awaitility#await()}, for longer. */
  public static ConditionFactory await() {
    return Awaitility.await().atMost(MINUTES, TimeUnit.MINUTES);
  }

  /** As {@link Awaitility#await(String)}, for longer. */
  public static ConditionFactory await(String what) {
    return Awaitility.await(what).atMost(MINUTES, TimeUnit.MINUTES);
  }
}
