// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.filemap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class LeaseKeeperTest {
  private final AtomicInteger rounds = new AtomicInteger();
  private final AtomicLong pause = new AtomicLong(Long.MAX_VALUE);

  private long work() {
    rounds.incrementAndGet();
    return pause.get();
  }

  @Test
  void worksAtTheStartAndThenOnlyWhenThereIsNeed() {
    try (LeaseKeeper keeper = new LeaseKeeper(this::work)) {
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
    try (LeaseKeeper keeper = new LeaseKeeper(this::work)) {
      keeper.start();
      await().until(() -> rounds.get() > 5);
    }
  }

  @Test
  void anAccidentDoesNotEndIt() {
    try (LeaseKeeper keeper =
        new LeaseKeeper(
            () -> {
              if (rounds.incrementAndGet() == 1) {
                throw new IllegalStateException("for the test");
              }
              return Long.MAX_VALUE;
            })) {
      keeper.start();
      await().until(() -> rounds.get() == 2);
    }
  }

  @Test
  void worksNoMoreOnceClosed() {
    LeaseKeeper keeper = new LeaseKeeper(this::work);
    keeper.start();
    await().until(() -> rounds.get() == 1);
    keeper.close();
    await().until(() -> !keeper.isAlive());
    keeper.within(0);
    assertThat(rounds).hasValue(1);
  }
}
