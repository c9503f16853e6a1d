// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.metadata;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.lease.LeaseClock;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Remembers that a DataNode failed, so that it is left alone for a while. Thread-safe. */
final class BackOff {
  private final String endpoint;
  private final LeaseClock clock;
  private final long nanos;
  private volatile @Nullable Failure failure;

  private record Failure(FallbackException cause, long untilNanos) {}

  BackOff(String endpoint, LeaseClock clock, Duration duration) {
    this.endpoint = endpoint;
    this.clock = clock;
    this.nanos = duration.toNanos();
  }

  /** Refuses with METADATA_PLANE_BACKOFF while the DataNode is to be left alone. */
  void check() throws FallbackException {
    Failure last = failure;
    if (last == null) {
      return;
    }
    long left = last.untilNanos - clock.nanos();
    if (left > 0) {
      throw new FallbackException(
          FallbackReason.METADATA_PLANE_BACKOFF,
          endpoint + " is asked again in " + left / 1_000_000 + " ms; it failed with " + last.cause,
          last.cause);
    }
  }

  /** Starts the pause anew; true if the DataNode was in order until now. */
  boolean failed(FallbackException cause) {
    boolean first = failure == null;
    failure = new Failure(cause, clock.nanos() + nanos);
    return first;
  }

  /** It answered: true if it was not in order until now. */
  boolean succeeded() {
    boolean recovered = failure != null;
    if (recovered) {
      failure = null;
    }
    return recovered;
  }
}
