// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.thread;

import static io.rdio.core.testing.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Test;

final class DaemonLoopTest {
  private static final long LONG_MILLIS = TimeUnit.MINUTES.toMillis(1);

  private final AtomicInteger steps = new AtomicInteger();
  private final LongAdder failures = new LongAdder();

  @Test
  void survivesWhateverAStepThrows() {
    Throwable[] thrown = {
      new Exception("checked"), new RuntimeException(), new StackOverflowError(), new ThreadDeath()
    };
    DaemonLoop.Step step =
        () -> {
          int turn = steps.getAndIncrement();
          if (turn < thrown.length) {
            throwAny(thrown[turn]);
          }
          Thread.onSpinWait();
        };
    try (DaemonLoop loop = new DaemonLoop("test", step, failures, 1, LONG_MILLIS)) {
      loop.start();
      await().until(() -> steps.get() > thrown.length + 1);
      assertThat(failures.sum()).isEqualTo(thrown.length);
    }
  }

  @Test
  void endsWhenItIsClosedAlsoInThePauseAfterAFailure() {
    DaemonLoop.Step step =
        () -> {
          steps.incrementAndGet();
          throw new IllegalStateException("for the test");
        };
    DaemonLoop loop = new DaemonLoop("test", step, failures, TimeUnit.DAYS.toNanos(1), LONG_MILLIS);
    loop.start();
    await().until(() -> failures.sum() == 1);
    loop.close();
    assertThat(loop.isAlive()).isFalse();
    assertThat(steps).hasValue(1);
  }

  @Test
  void endsAfterTheStepUnderWay() throws Exception {
    CountDownLatch mayEnd = new CountDownLatch(1);
    DaemonLoop loop =
        new DaemonLoop(
            "test",
            () -> {
              steps.incrementAndGet();
              mayEnd.await();
            },
            failures);
    loop.start();
    await().until(() -> steps.get() == 1);
    loop.end();
    assertThat(loop.awaitEnd(1)).isFalse();
    mayEnd.countDown();
    assertThat(loop.awaitEnd(TimeUnit.SECONDS.toMillis(10))).isTrue();
    assertThat(steps).hasValue(1);
  }

  /** A device that hangs interrupts nothing, and must not keep the process from ending. */
  @Test
  void closingWaitsForAStepThatNothingEndsOnlySoLong() {
    Semaphore mayEnd = new Semaphore(0);
    DaemonLoop loop =
        new DaemonLoop(
            "test",
            () -> {
              steps.incrementAndGet();
              mayEnd.acquireUninterruptibly();
            },
            failures,
            1,
            1);
    loop.start();
    await().until(() -> steps.get() == 1);

    assertTimeoutPreemptively(Duration.ofSeconds(60), loop::close);

    assertThat(loop.isAlive()).isTrue();
    mayEnd.release();
    await().until(() -> !loop.isAlive());
    assertThat(steps).hasValue(1);
  }

  @SuppressWarnings("unchecked")
  private static <E extends Throwable> void throwAny(Throwable any) throws E {
    throw (E) any;
  }
}
