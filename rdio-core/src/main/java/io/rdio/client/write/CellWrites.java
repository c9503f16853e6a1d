// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.write;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/** Writes of a stripe's cells that are under way. Thread-safe. */
final class CellWrites {
  private final Executor parallel;

  @GuardedBy("this")
  private int underWay;

  CellWrites(Executor parallel) {
    this.parallel = parallel;
  }

  /**
   * Begins one by another thread, or does it by this one where there is none.
   *
   * @param write throws nothing
   */
  void begin(Runnable write) {
    synchronized (this) {
      underWay++;
    }
    try {
      parallel.execute(() -> run(write));
    } catch (RejectedExecutionException e) {
      run(write);
    }
  }

  private void run(Runnable write) {
    try {
      write.run();
    } finally {
      done();
    }
  }

  private synchronized void done() {
    underWay--;
    notifyAll();
  }

  /** Returns when all are over, also when this thread is interrupted: nobody reads them then. */
  synchronized void await() {
    boolean wasInterrupted = false;
    while (underWay > 0) {
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
}
