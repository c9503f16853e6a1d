// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.write;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Writes of a stripe's cells that are under way, of data and of parity: one for each block. Who
 * waits for them can give up a device that does not answer; the stripe's memory is that device's
 * until it has. Thread-safe.
 */
final class CellWrites {
  private final Executor parallel;
  private final Pending underWay = new Pending(0);

  /** Done when all are over. */
  @GuardedBy("this")
  private @Nullable Runnable behind;

  CellWrites(Executor parallel) {
    this.parallel = parallel;
  }

  /**
   * Begins the write of a block's cell by another thread, or does it by this one where there is
   * none. Not to be called for a block twice, nor behind {@link #whenOver}.
   *
   * @param write throws nothing
   */
  void begin(int unit, Runnable write) {
    underWay.add(unit);
    try {
      parallel.execute(() -> run(unit, write));
    } catch (RejectedExecutionException | OutOfMemoryError e) { // no thread
      run(unit, write);
    }
  }

  private void run(int unit, Runnable write) {
    try {
      write.run();
    } finally {
      underWay.remove(1L << unit);
      runIfOver();
    }
  }

  /**
   * Waits until the writes of some blocks are over, but not longer than so long; interrupts are
   * kept for later.
   *
   * @param units a bit for each block
   * @return bits of those whose writes are not over
   */
  long await(long units, long nanos) {
    return underWay.await(units, nanos);
  }

  /** Whether nobody reads from the stripe any more. */
  boolean isOver() {
    return underWay.isEmpty();
  }

  /**
   * Has something done when nobody reads from the stripe any more: by whom is last, or now. To be
   * called once, when all that is ever written was begun.
   */
  void whenOver(Runnable work) {
    synchronized (this) {
      behind = work;
    }
    runIfOver();
  }

  private void runIfOver() {
    Runnable next = takeIfOver();
    if (next != null) {
      next.run();
    }
  }

  private synchronized @Nullable Runnable takeIfOver() {
    if (!underWay.isEmpty()) {
      return null;
    }
    Runnable next = behind;
    behind = null;
    return next;
  }
}
