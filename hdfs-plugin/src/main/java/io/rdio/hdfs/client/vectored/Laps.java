// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.vectored;

import com.google.errorprone.annotations.concurrent.GuardedBy;

/**
 * How long each of several sets of ranges took that were under way together: from the end of the
 * one before it on, so that their times sum up to that of all. Thread-safe.
 */
final class Laps {
  @GuardedBy("this")
  private boolean begun;

  @GuardedBy("this")
  private long since;

  /** The first of them begins, unless it has begun. */
  synchronized void begin() {
    if (!begun) {
      begun = true;
      since = System.nanoTime();
    }
  }

  /** One of them is over: the nanoseconds that it took. */
  synchronized long next() {
    long now = System.nanoTime();
    long took = begun ? now - since : 0;
    since = now;
    return took;
  }
}
