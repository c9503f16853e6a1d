// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.testbed;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Waits for what comes true some time after it was asked for, each as long as it is told to. */
final class Waits {
  /** For an emulated processor. */
  static final Duration USUAL = Duration.ofMinutes(3);

  /**
   * For whatever one command is, on an emulated processor and with a cable out: less than the whole
   * machine has (bin/lib/testbed/run), so that what hangs is named before that is ended.
   */
  static final Duration ANSWER = Duration.ofMinutes(10);

  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
  private static final double NANOS = 1e9;

  /** Something that comes true. */
  interface Condition {
    boolean holds() throws IOException;
  }

  private Waits() {}

  /** Whether it comes true within the usual time; it is looked at once at least. */
  static boolean comes(Condition condition) throws IOException {
    return comes(USUAL, condition);
  }

  /** Whether it comes true within a time; it is looked at once at least. */
  static boolean comes(Duration max, Condition condition) throws IOException {
    return !Double.isNaN(seconds(max, condition));
  }

  /** Seconds until it was true; NaN if it was not within a time. It is looked at once at least. */
  static double seconds(Duration max, Condition condition) throws IOException {
    long start = System.nanoTime();
    while (!condition.holds()) {
      if (System.nanoTime() - start >= max.toNanos()) {
        return Double.NaN;
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
    return (System.nanoTime() - start) / NANOS;
  }

  /** Returns when it is true; fails if it is not within the usual time. */
  static void await(String what, Condition condition) throws IOException {
    if (!comes(condition)) {
      throw new IOException("waited " + USUAL.toSeconds() + " s in vain for " + what);
    }
  }
}
