// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.testing;

import io.rdio.core.time.MonotonicClock;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** A clock that stands still until it is told to go on. */
public final class ManualClock implements MonotonicClock {
  // Near the overflow, where only differences may be compared.
  private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 1000);

  @Override
  public long nanos() {
    return now.get();
  }

  public void advance(Duration duration) {
    now.addAndGet(duration.toNanos());
  }
}
