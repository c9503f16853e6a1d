// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.time;

import static io.rdio.core.testing.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.testing.Patience;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Test;

class LeaseKeeperTest {
  private final AtomicInteger rounds = new AtomicInteger();
  private final AtomicLong pause = new AtomicLong(Long.MAX_VALUE);
  private final LongAdder failures = new LongAdder();

  private long work() {
    rounds.incrementAndGet();
    return pause.get();
  }

  @Test
  void worksAtTheStartAndThenOnlyWhenThereIsNeed() {
    try (LeaseKeeper keeper = new LeaseKeeper("rdio-test", this::work, failures)) {
      keeper.start();
      await().until(() -> rounds.get() == 1);
      keeper.within(Duration.ofDays(2).toNanos());
      keeper.within(0);
      await().until(() -> rounds.get() == 2);
      await()
          .during(Duration.ofMillis(200))
          .atMost(Duration.ofSeconds(5))
          .until(() -> rounds.get() == 2);
    }
  }

  @Test
  void comesBackAfterThePauseThatTheWorkNames() {
    pause.set(Duration.ofMillis(1).toNanos());
    try (LeaseKeeper keeper = new LeaseKeeper("rdio-test", this::work, failures)) {
      keeper.start();
      await().until(() -> rounds.get() > 5);
    }
  }

  @Test
  void anAccidentDoesNotEndIt() {
    try (LeaseKeeper keeper =
        new LeaseKeeper(
            "rdio-test",
            () -> {
              switch (rounds.incrementAndGet()) {
                case 1 -> throw new IllegalStateException("for the test");
                case 2 -> throw new OutOfMemoryError("for the test");
                default -> {
                  return Long.MAX_VALUE;
                }
              }
            },
            failures)) {
      keeper.start();
      await().until(() -> rounds.get() == 3);
      assertThat(failures.sum()).isEqualTo(2);
    }
  }

  /** As a task's runner does at the end of its task, which was the first reader of this JVM. */
  @Test
  void theTaskThatStartedItCannotInterruptIt() throws Exception {
    ThreadGroup task = new ThreadGroup("task");
    AtomicReference<LeaseKeeper> made = new AtomicReference<>();
    Thread first =
        new Thread(
            task,
            () -> {
              LeaseKeeper keeper = new LeaseKeeper("rdio-test", this::work, failures);
              keeper.start();
              made.set(keeper);
            });
    first.start();
    Patience.join(first);
    try (LeaseKeeper keeper = made.get()) {
      await().until(() -> rounds.get() == 1);
      task.interrupt();
      keeper.within(0);
      await().until(() -> rounds.get() == 2);
      assertThat(task.activeCount()).isZero();
    }
  }

  @Test
  void anInterruptDoesNotEndIt() {
    AtomicReference<Thread> worker = new AtomicReference<>();
    try (LeaseKeeper keeper =
        new LeaseKeeper(
            "rdio-test",
            () -> {
              worker.set(Thread.currentThread());
              return work();
            },
            failures)) {
      keeper.start();
      await().until(() -> rounds.get() == 1);
      worker.get().interrupt();
      keeper.within(0);
      await().until(() -> rounds.get() == 2);
      assertThat(keeper.isAlive()).isTrue();
    }
  }

  @Test
  void worksNoMoreOnceClosed() {
    LeaseKeeper keeper = new LeaseKeeper("rdio-test", this::work, failures);
    keeper.start();
    await().until(() -> rounds.get() == 1);
    keeper.close();
    await().until(() -> !keeper.isAlive());
    keeper.within(0);
    assertThat(rounds).hasValue(1);
  }
}
