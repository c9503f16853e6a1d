// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.wire;

import io.grpc.Metadata;
import io.grpc.Status;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * When a DataNode that is too busy for a call wants it again: a trailer of the call, {@code
 * rdio-retry-after-ms}, in whole milliseconds.
 */
public final class RetryAfter {
  private static final Metadata.Key<String> KEY =
      Metadata.Key.of("rdio-retry-after-ms", Metadata.ASCII_STRING_MARSHALLER);

  /** Whatever a DataNode says, it is asked again after so long. */
  private static final Duration LONGEST = Duration.ofSeconds(30);

  private RetryAfter() {}

  public static Metadata trailers(long millis) {
    Metadata trailers = new Metadata();
    add(trailers, millis);
    return trailers;
  }

  /** Says it in a call's trailers, unless they say it already. */
  public static void add(Metadata trailers, long millis) {
    if (!trailers.containsKey(KEY)) {
      trailers.put(KEY, Long.toString(millis));
    }
  }

  /** Whether the failure of a call says anything of it. */
  public static boolean isSaidBy(Throwable failure) {
    Metadata trailers = Status.trailersFromThrowable(failure);
    return trailers != null && trailers.containsKey(KEY);
  }

  /** What the failure of a call says; 0 where it says nothing of sense. */
  public static long nanos(@Nullable Throwable failure) {
    Metadata trailers = failure == null ? null : Status.trailersFromThrowable(failure);
    String millis = trailers == null ? null : trailers.get(KEY);
    if (millis == null) {
      return 0;
    }
    try {
      long sane = Math.max(0, Math.min(Long.parseLong(millis), LONGEST.toMillis()));
      return TimeUnit.MILLISECONDS.toNanos(sane);
    } catch (NumberFormatException e) {
      return 0;
    }
  }
}
