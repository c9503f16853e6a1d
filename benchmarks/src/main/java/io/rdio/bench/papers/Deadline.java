// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.papers;

import java.io.IOException;
import java.time.Duration;
import java.util.function.LongSupplier;

/** When a part has to be done. Thread-safe. */
final class Deadline {
  private final Duration bound;
  private final LongSupplier nanoTime;
  private final long start;

  /**
   * @param bound from now
   * @param nanoTime such as {@link System#nanoTime}
   */
  Deadline(Duration bound, LongSupplier nanoTime) {
    this.bound = bound;
    this.nanoTime = nanoTime;
    this.start = nanoTime.getAsLong();
  }

  /** What is left; not negative. */
  Duration left() {
    Duration left = bound.minusNanos(nanoTime.getAsLong() - start);
    return left.isNegative() ? Duration.ZERO : left;
  }

  /**
   * Goes on if there is time left.
   *
   * @throws IOException if there is none
   */
  void check() throws IOException {
    if (left().isZero()) {
      throw over();
    }
  }

  /** That the time is over. */
  IOException over() {
    return new IOException("not done within its bound of " + bound.toSeconds() + " s");
  }
}
