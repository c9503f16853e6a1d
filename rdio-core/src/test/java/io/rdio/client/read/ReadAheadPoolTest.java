// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.client.counters.ClientCounters;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.device.ReadQueue;
import io.rdio.core.testing.HangingQueue;
import io.rdio.core.testing.ManualClock;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Queues that the kernel refuses, for now and for good. */
final class ReadAheadPoolTest {
  private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 1); // wraps round, as it may
  private final WindowPool windows = new WindowPool(64 << 20, 1 << 20, new ClientCounters());
  private final ReadAheadPool pool = new ReadAheadPool(windows, 2 << 20, this::open, now::get);
  private @Nullable FallbackReason refused;
  private int asked;

  private ReadQueue open() throws FallbackException {
    asked++;
    if (refused != null) {
      throw new FallbackException(refused, "as told");
    }
    return new HangingQueue(new AtomicBoolean());
  }

  private boolean borrowsAQueue() {
    ReadAhead ahead = pool.borrow(new ManualClock());
    boolean queued = ahead.hasQueue();
    pool.giveBack(ahead);
    return queued;
  }

  @Test
  void whatIsRefusedForNowIsAskedForAgainAfterAWhile() {
    refused = FallbackReason.BUFFERS_EXHAUSTED;
    assertThat(borrowsAQueue()).isFalse();
    assertThat(borrowsAQueue()).isFalse();
    assertThat(asked).isEqualTo(1);
    now.addAndGet(ReadAheadPool.RETRY_AFTER.toNanos() - 1);
    assertThat(borrowsAQueue()).isFalse();
    assertThat(asked).isEqualTo(1);
    now.addAndGet(1);
    assertThat(borrowsAQueue()).isFalse();
    assertThat(asked).isEqualTo(2);

    refused = null;
    assertThat(borrowsAQueue()).isFalse();
    now.addAndGet(ReadAheadPool.RETRY_AFTER.toNanos());
    assertThat(borrowsAQueue()).isTrue();
    assertThat(pool.refusal()).isNull();
  }

  @Test
  void whatIsRefusedForGoodIsAskedForOnce() {
    refused = FallbackReason.NATIVE_LIBRARY_UNAVAILABLE;
    assertThat(borrowsAQueue()).isFalse();
    refused = null;
    now.addAndGet(Duration.ofDays(1).toNanos());
    assertThat(borrowsAQueue()).isFalse();
    assertThat(asked).isEqualTo(1);
    assertThat(pool.refusal()).isNotNull();
  }
}
