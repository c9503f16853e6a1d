// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.device;

import static io.rdio.core.testing.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

/** Who is served by whose look. */
final class SharedLookTest {
  private final AtomicInteger looks = new AtomicInteger();
  private final AtomicInteger shared = new AtomicInteger();
  private final CountDownLatch answer = new CountDownLatch(1);
  private volatile boolean fails;

  private SharedLook<Integer> look(Duration timeout) {
    return new SharedLook<>("it", this::lookAt, timeout, shared::incrementAndGet);
  }

  /** Which of all looks it is; the first one hangs until it is answered. */
  private int lookAt() throws FallbackException {
    int number = looks.incrementAndGet();
    try {
      answer.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new FallbackException(FallbackReason.INTERRUPTED, "looking");
    }
    if (fails) {
      throw new FallbackException(FallbackReason.DEVICE_IO_ERROR, "look " + number);
    }
    return number;
  }

  @AfterEach
  void answer() {
    answer.countDown();
  }

  /** A thread that asks, and what it is told: a number, or what failed. */
  private static final class Asking {
    private final CompletableFuture<Integer> found = new CompletableFuture<>();
    private final Thread thread;

    Asking(SharedLook<Integer> look) {
      this(look, 1);
    }

    /**
     * @param times that it asks, at once each; what it is told at last is found
     */
    Asking(SharedLook<Integer> look, int times) {
      thread = new Thread(() -> ask(look, times));
      thread.setDaemon(true);
      thread.start();
    }

    private void ask(SharedLook<Integer> look, int times) {
      try {
        for (int i = 1; i < times; i++) {
          look.look();
        }
        found.complete(look.look());
      } catch (Throwable e) {
        found.completeExceptionally(e);
      }
    }

    int found() throws Exception {
      return found.get(2, TimeUnit.MINUTES);
    }

    FallbackException refusal() {
      Throwable thrown = catchThrowableOfType(ExecutionException.class, this::found);
      return (FallbackException) thrown.getCause();
    }
  }

  /** It looks, and does not come back. */
  private Asking first(SharedLook<Integer> look) {
    Asking first = new Asking(look);
    await().until(() -> looks.get() == 1);
    return first;
  }

  /** It waits for another one's look. */
  private static Asking next(SharedLook<Integer> look) {
    Asking next = new Asking(look);
    await()
        .until(
            () ->
                next.thread.getState() == Thread.State.WAITING
                    || next.thread.getState() == Thread.State.TIMED_WAITING);
    return next;
  }

  @Test
  void whoAskedBehindTheBeginIsServedByTheNext() throws Exception {
    SharedLook<Integer> look = look(Duration.ZERO);
    Asking first = first(look);
    Asking second = next(look);
    Asking third = next(look);
    answer();
    assertThat(first.found()).isEqualTo(1);
    assertThat(second.found()).isEqualTo(2);
    assertThat(third.found()).isEqualTo(2);
    assertThat(shared).hasValue(1);
    assertThat(look.look()).as("asked behind all").isEqualTo(3);
  }

  /** Who has looked asks again at once, twice, and hangs: by then the other one was served. */
  @RepeatedTest(value = 20, failureThreshold = 1)
  void whoComesBackAtOnceKeepsNobodyWaiting() throws Exception {
    CompletableFuture<Void> hung = new CompletableFuture<>();
    SharedLook<Integer> look =
        new SharedLook<>(
            "it",
            () -> {
              int number = lookAt();
              if (number == 3) {
                hung.join();
              }
              return number;
            },
            Duration.ZERO,
            () -> {});
    Asking back = new Asking(look, 3);
    try {
      await().until(() -> looks.get() == 1);
      Asking other = next(look);
      answer();
      assertThat(other.found()).isEqualTo(2);
    } finally {
      hung.complete(null);
    }
    assertThat(back.found()).as("whichever of the two looked second").isBetween(3, 4);
  }

  @Test
  void failureIsSharedAsWell() throws Exception {
    SharedLook<Integer> look = look(Duration.ZERO);
    Asking first = first(look);
    Asking second = next(look);
    Asking third = next(look);
    fails = true;
    answer();
    assertThat(first.refusal().detail()).isEqualTo("look 1");
    assertThat(second.refusal().detail()).isEqualTo("look 2");
    assertThat(third.refusal()).isSameAs(second.refusal());
    fails = false;
    assertThat(look.look()).isEqualTo(3);
  }

  @Test
  void interruptIsNobodyElses() throws Exception {
    SharedLook<Integer> look = look(Duration.ZERO);
    Asking first = first(look);
    Asking second = next(look);
    Asking third = next(look);
    Asking gone = next(look);
    gone.thread.interrupt();
    assertThat(gone.refusal().reason()).isEqualTo(FallbackReason.INTERRUPTED);
    first.thread.interrupt();
    assertThat(first.refusal().reason()).isEqualTo(FallbackReason.INTERRUPTED);
    await().until(() -> looks.get() == 2);
    second.thread.interrupt(); // it looks, also for the third one
    assertThat(second.refusal().reason()).isEqualTo(FallbackReason.INTERRUPTED);
    answer();
    assertThat(third.found()).isEqualTo(3);
    assertThat(shared).hasValue(0);
  }

  @Test
  void whatFailsUnexpectedlyKeepsNobodyFromLooking() throws Exception {
    AtomicInteger tries = new AtomicInteger();
    SharedLook<Integer> look =
        new SharedLook<>(
            "it",
            () -> {
              if (tries.incrementAndGet() == 1) {
                throw new IllegalStateException("none");
              }
              return tries.get();
            },
            Duration.ZERO,
            () -> {});
    assertThat(catchThrowableOfType(IllegalStateException.class, look::look)).isNotNull();
    assertThat(new Asking(look).found()).isEqualTo(2);
  }

  @Test
  void whoWaitsForAnotherOneHasADeadline() throws Exception {
    SharedLook<Integer> look = look(Duration.ofMillis(20));
    Asking first = first(look);
    assertThat(new Asking(look).refusal().reason()).isEqualTo(FallbackReason.DEVICE_TIMEOUT);
    assertThat(looks).hasValue(1);
    answer();
    assertThat(first.found()).isEqualTo(1);
    assertThat(await().ignoreExceptions().until(look::look, found -> true)).isEqualTo(2);
  }
}
