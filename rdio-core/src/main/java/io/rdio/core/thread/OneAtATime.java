// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.thread;

import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Work that nobody waits for, on some other thread, once at a time: who wants it while it runs gets
 * no second run. Thread-safe.
 */
public final class OneAtATime {
  private final AtomicBoolean running = new AtomicBoolean();

  /** Has it begun unless it runs. What the executor throws this does, and the next one tries. */
  public void begin(Executor threads, Runnable work) {
    if (!running.compareAndSet(false, true)) {
      return;
    }
    boolean begun = false;
    try {
      threads.execute(() -> run(work));
      begun = true;
    } finally {
      if (!begun) {
        running.set(false);
      }
    }
  }

  private void run(Runnable work) {
    try {
      work.run();
    } finally {
      running.set(false);
    }
  }
}
