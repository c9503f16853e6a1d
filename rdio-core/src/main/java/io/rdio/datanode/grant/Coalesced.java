// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.grant;

import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Work that is asked for more often than it needs to be done: at most one request waits, so that a
 * thread that hangs collects no queue. Thread-safe.
 */
final class Coalesced {
  private final Executor thread;
  private final GrantCounters counters;
  private final AtomicBoolean waiting = new AtomicBoolean();

  /**
   * @param thread runs one task after the other
   * @param counters told when the work fails
   */
  public Coalesced(Executor thread, GrantCounters counters) {
    this.thread = thread;
    this.counters = counters;
  }

  /** Has the work done after now, by this request or by one that waits already. */
  public void request(String what, Runnable work) {
    if (!waiting.compareAndSet(false, true)) {
      return;
    }
    boolean queued = false;
    try {
      thread.execute(
          () -> {
            waiting.set(false);
            counters.survive(what, work);
          });
      queued = true;
    } finally {
      if (!queued) {
        waiting.set(false);
      }
    }
  }
}
