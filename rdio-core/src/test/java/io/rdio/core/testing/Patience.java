// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.testing;

import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

/**
 * Waiting for what comes at once on a machine that has nothing else to do: Awaitility's own bound
 * of ten seconds is no more than a busy one may stand still for.
 */
public final class Patience {
  private static final long MINUTES = 2;

  private Patience() {}

  /** As {@link Awaitility#await()}, for longer. */
  public static ConditionFactory await() {
    return Awaitility.await().atMost(MINUTES, TimeUnit.MINUTES);
  }

  /** As {@link Awaitility#await(String)}, for longer. */
  public static ConditionFactory await(String what) {
    return Awaitility.await(what).atMost(MINUTES, TimeUnit.MINUTES);
  }
}
