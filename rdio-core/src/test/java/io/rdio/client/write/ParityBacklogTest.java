// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.block.BlockKey;
import io.rdio.core.testing.ManualClock;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What is said of groups without parity. */
final class ParityBacklogTest {
  private static final BlockKey GROUP = new BlockKey("BP-1", -1600, 1);

  private final ManualClock clock = new ManualClock();
  private final ParityBacklog backlog =
      new ParityBacklog(Duration.ofSeconds(60), clock, new LongAdder());

  @AfterEach
  void close() {
    backlog.close();
  }

  @Test
  void oldestIsTheOneThatCameFirst() throws Exception {
    assertThat(backlog.oldestSeconds()).isZero();
    ParityBacklog.Late first = backlog.add(GROUP, 100);
    clock.advance(Duration.ofSeconds(7));
    ParityBacklog.Late second = backlog.add(GROUP, 20);
    clock.advance(Duration.ofSeconds(3));
    assertThat(backlog.groups()).isEqualTo(2);
    assertThat(backlog.bytes()).isEqualTo(120);
    assertThat(backlog.oldestSeconds()).isEqualTo(10);
    assertThat(backlog.awaitEmpty(Duration.ofMillis(1))).isFalse();

    backlog.remove(first, 0);
    backlog.remove(first, 5); // a second time it is not there
    assertThat(backlog.oldestSeconds()).isEqualTo(3);
    assertThat(backlog.bytes()).isEqualTo(20);
    backlog.remove(second, 2);
    assertThat(backlog.groups()).isZero();
    assertThat(backlog.lostBlocks()).isEqualTo(2);
    assertThat(backlog.awaitEmpty(Duration.ofMillis(1))).isTrue();
  }

  @Test
  void timesOfThoseThatAreGoneAddUp() {
    ParityBacklog.Late first = backlog.add(GROUP, 100);
    clock.advance(Duration.ofMillis(400));
    ParityBacklog.Late second = backlog.add(GROUP, 100);
    clock.advance(Duration.ofMillis(100));
    assertThat(backlog.groupsGone()).isZero();
    assertThat(backlog.millisGone()).isZero();

    backlog.remove(first, 0);
    clock.advance(Duration.ofMillis(50));
    backlog.remove(first, 0); // a second time it is not there
    backlog.remove(second, 0);
    assertThat(backlog.groupsGone()).isEqualTo(2);
    assertThat(backlog.millisGone()).isEqualTo(500 + 150);
  }

  @Test
  void alarmIsDueWhenTheOldestIsTooOldAndThenOnceInAWhile() {
    assertThat(backlog.warnIfDue()).isEqualTo(Long.MAX_VALUE);
    backlog.add(GROUP, 100);
    clock.advance(Duration.ofSeconds(59));
    assertThat(backlog.warnIfDue()).isEqualTo(TimeUnit.SECONDS.toNanos(1));
    clock.advance(Duration.ofSeconds(1));
    assertThat(backlog.warnIfDue())
        .as("told, and not again before")
        .isEqualTo(TimeUnit.SECONDS.toNanos(60));
  }
}
