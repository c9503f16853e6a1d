// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import static io.rdio.core.testing.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rdio.client.counters.ClientCounters;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.device.ReadQueue;
import io.rdio.core.testing.Allocation;
import io.rdio.core.testing.HangingQueue;
import io.rdio.core.testing.ManualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Queues that the kernel refuses, for now and for good, or that are all in use. */
final class ReadAheadPoolTest {
  private static final int BOUND_SECONDS = 60;

  private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 1); // wraps round, as it may
  private final WindowPool windows = new WindowPool(64 << 20, 1 << 20, new ClientCounters());
  private ReadAheadPool pool = new ReadAheadPool(windows, 2 << 20, this::open, now::get);
  private final ManualClock clock = new ManualClock();
  private volatile @Nullable FallbackReason refused;
  private final AtomicInteger asked = new AtomicInteger();

  @AfterEach
  void clearInterrupt() {
    Thread.interrupted();
  }

  private ReadQueue open() throws FallbackException {
    asked.incrementAndGet();
    if (refused != null) {
      throw new FallbackException(refused, "as told");
    }
    return new HangingQueue(new AtomicBoolean());
  }

  /** False where none is to be had. */
  private boolean borrowsAQueue() {
    try {
      ReadAhead ahead = pool.borrow(clock);
      boolean queued = ahead.hasQueue();
      pool.giveBack(ahead);
      return queued;
    } catch (FallbackException e) {
      assertThat(e.reason()).isEqualTo(FallbackReason.BUFFERS_EXHAUSTED);
      assertThat(e.detail()).isEqualTo("as told");
      return false;
    }
  }

  private List<ReadAhead> borrowAll() throws FallbackException {
    List<ReadAhead> all = new ArrayList<>();
    for (int i = 0; i < ReadAheadPool.MAX_QUEUES; i++) {
      all.add(pool.borrow(clock));
    }
    assertThat(pool.lentQueues()).isEqualTo(ReadAheadPool.MAX_QUEUES);
    return all;
  }

  /** A thread that borrows one, and waits for it. */
  private CompletableFuture<ReadAhead> borrowLater() {
    CompletableFuture<ReadAhead> later = new CompletableFuture<>();
    Thread reader =
        new Thread(
            () -> {
              try {
                later.complete(pool.borrow(clock));
              } catch (FallbackException e) {
                later.completeExceptionally(e);
              }
            });
    reader.start();
    await().until(() -> pool.waiting() == 1);
    return later;
  }

  @Test
  void whoWaitsIsHandedWhatIsGivenBack() throws Exception {
    List<ReadAhead> all = borrowAll();
    CompletableFuture<ReadAhead> waiting = borrowLater();
    assertThat(pool.isScarce()).isTrue();
    pool.giveBack(all.get(0));
    assertThat(waiting.get(BOUND_SECONDS, TimeUnit.SECONDS)).isSameAs(all.get(0));
    assertThat(pool.isScarce()).isFalse();
    assertThat(asked).hasValue(ReadAheadPool.MAX_QUEUES);
  }

  @Test
  void whoHasWaitedForLongIsRefused() throws Exception {
    borrowAll();
    CompletableFuture<ReadAhead> waiting = borrowLater();
    now.addAndGet(ReadAheadPool.MAX_WAIT.toNanos() - 1);
    assertThat(waiting).isNotDone();
    now.addAndGet(1);
    assertThat(waiting)
        .failsWithin(Duration.ofSeconds(BOUND_SECONDS))
        .withThrowableOfType(ExecutionException.class)
        .havingCause()
        .isInstanceOfSatisfying(
            FallbackException.class,
            e -> {
              assertThat(e.reason()).isEqualTo(FallbackReason.BUFFERS_EXHAUSTED);
              assertThat(e.detail()).contains(ReadAheadPool.MAX_QUEUES + " read queues");
            });
    assertThat(pool.waiting()).isZero();
  }

  @Test
  void interruptedThreadWaitsNoLonger() throws Exception {
    List<ReadAhead> all = borrowAll();
    Thread.currentThread().interrupt();
    FallbackException refusal =
        catchThrowableOfType(FallbackException.class, () -> pool.borrow(clock));
    assertThat(Thread.currentThread().isInterrupted()).isTrue();
    assertThat(refusal.reason()).isEqualTo(FallbackReason.INTERRUPTED);
    assertThat(pool.waiting()).isZero();

    pool.giveBack(all.get(0));
    assertThat(pool.borrow(clock)).as("without waiting").isSameAs(all.get(0));
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void whatIsKeptAndNotMovedOnIsTakenAFewAtATime() throws Exception {
    List<KeptReadAheads.Place> places = new ArrayList<>();
    now.set(0);
    pool = new ReadAheadPool(windows, 0, this::open, now::get);
    for (ReadAhead ahead : borrowAll()) {
      places.add(new KeptReadAheads.Place());
      pool.addKeeper(this, places.get(places.size() - 1));
      places.get(places.size() - 1).set(ahead);
    }
    now.set(KeptReadAheads.SEARCH_EVERY.toNanos() - 1); // and they have never been moved on
    CompletableFuture<ReadAhead> waiting = borrowLater();
    assertThat(pool.lentQueues()).isEqualTo(ReadAheadPool.MAX_QUEUES);
    now.set(2 * KeptReadAheads.SEARCH_EVERY.toNanos());
    assertThat(waiting.get(BOUND_SECONDS, TimeUnit.SECONDS).hasQueue()).isTrue();
    assertThat(places.stream().filter(place -> place.get() == null))
        .hasSize(ReadAheadPool.TAKEN_AT_ONCE);
    assertThat(pool.lentQueues())
        .isEqualTo(ReadAheadPool.MAX_QUEUES - ReadAheadPool.TAKEN_AT_ONCE + 1);
  }

  @Test
  void nobodyTakesOneWithoutWaitingWhereOthersWait() throws Exception {
    List<ReadAhead> all = borrowAll();
    assertThat(pool.tryBorrow(clock)).isNull();
    CompletableFuture<ReadAhead> waiting = borrowLater();
    assertThat(pool.tryBorrow(clock)).isNull();
    pool.giveBack(all.get(0));
    assertThat(waiting.get(BOUND_SECONDS, TimeUnit.SECONDS)).isNotNull();
    pool.giveBack(all.get(1));
    assertThat(pool.tryBorrow(clock)).isSameAs(all.get(1));
  }

  @Test
  void whoIsRefusedOneForNowWaitsForThatOfAnother() throws Exception {
    ReadAhead only = pool.borrow(clock);
    refused = FallbackReason.BUFFERS_EXHAUSTED;
    CompletableFuture<ReadAhead> waiting = borrowLater();
    pool.giveBack(only);
    assertThat(waiting.get(BOUND_SECONDS, TimeUnit.SECONDS)).isSameAs(only);
  }

  @Test
  void theOneThatCameBackLastIsLentFirst() throws Exception {
    ReadAhead one = pool.borrow(clock);
    ReadAhead other = pool.borrow(clock);
    pool.giveBack(one);
    pool.giveBack(other);
    assertThat(pool.borrow(clock)).isSameAs(other);
    assertThat(pool.borrow(clock)).isSameAs(one);
    assertThat(asked).hasValue(2);
  }

  @Test
  void lendingAllocatesNothing() throws Exception {
    for (int i = 0; i < 20_000; i++) {
      pool.giveBack(pool.borrow(clock));
    }
    long allocated =
        Allocation.of(
            () -> {
              for (int i = 0; i < 1000; i++) {
                pool.giveBack(pool.borrow(clock));
              }
            });
    assertThat(allocated).isLessThan(1000); // the measurement itself may cost something once
  }

  @Test
  void whatIsRefusedForNowIsAskedForAgainAfterAWhile() {
    refused = FallbackReason.BUFFERS_EXHAUSTED;
    assertThat(borrowsAQueue()).isFalse();
    assertThat(borrowsAQueue()).isFalse();
    assertThat(asked).hasValue(1);
    now.addAndGet(ReadAheadPool.RETRY_AFTER.toNanos() - 1);
    assertThat(borrowsAQueue()).isFalse();
    assertThat(asked).hasValue(1);
    now.addAndGet(1);
    assertThat(borrowsAQueue()).isFalse();
    assertThat(asked).hasValue(2);

    refused = null;
    assertThat(borrowsAQueue()).isFalse();
    now.addAndGet(ReadAheadPool.RETRY_AFTER.toNanos());
    assertThat(borrowsAQueue()).isTrue();
    assertThat(pool.refusal()).isNull();
  }

  @Test
  void whatIsRefusedForGoodIsAskedForOnce() {
    refused = FallbackReason.ASYNC_IO_UNAVAILABLE;
    assertThat(borrowsAQueue()).isFalse();
    refused = null;
    now.addAndGet(Duration.ofDays(1).toNanos());
    assertThat(borrowsAQueue()).isFalse();
    assertThat(asked).hasValue(1);
    assertThat(pool.refusal()).isNotNull();
  }
}
