// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.block.BlockKey;
import io.rdio.core.testing.ManualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What is said of groups without parity. */
final class ParityBacklogTest {
  private static final BlockKey GROUP = new BlockKey("BP-1", -1600, 1);

  private final ManualClock clock = new ManualClock();
  private final ParityBacklog backlog =
      new ParityBacklog(Duration.ofSeconds(60), Duration.ofMinutes(10), clock, new LongAdder());

  private ParityBacklog.Late add(long bytes) {
    return backlog.add(GROUP, bytes, () -> {});
  }

  @AfterEach
  void close() {
    backlog.close();
  }

  @Test
  void oldestIsTheOneThatCameFirst() throws Exception {
    assertThat(backlog.oldestSeconds()).isZero();
    ParityBacklog.Late first = add(100);
    clock.advance(Duration.ofSeconds(7));
    ParityBacklog.Late second = add(20);
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
    ParityBacklog.Late first = add(100);
    clock.advance(Duration.ofMillis(400));
    ParityBacklog.Late second = add(100);
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
    assertThat(backlog.look()).isEqualTo(Long.MAX_VALUE);
    add(100);
    clock.advance(Duration.ofSeconds(59));
    assertThat(backlog.look()).isEqualTo(TimeUnit.SECONDS.toNanos(1));
    clock.advance(Duration.ofSeconds(1));
    assertThat(backlog.look())
        .as("told, and not again before")
        .isEqualTo(TimeUnit.SECONDS.toNanos(60));
    clock.advance(Duration.ofSeconds(45));
    assertThat(backlog.look()).as("looked at before").isEqualTo(TimeUnit.SECONDS.toNanos(15));
  }

  @Test
  void oneThatTakesTooLongIsGivenUpOnce() {
    List<String> givenUp = new ArrayList<>();
    backlog.add(GROUP, 100, () -> givenUp.add("first"));
    clock.advance(Duration.ofSeconds(90));
    backlog.add(GROUP, 100, () -> givenUp.add("second"));
    clock.advance(Duration.ofSeconds(509));
    backlog.look(); // tells
    assertThat(givenUp).isEmpty();
    clock.advance(Duration.ofMillis(600));
    assertThat(backlog.look()).isEqualTo(TimeUnit.MILLISECONDS.toNanos(400));

    clock.advance(Duration.ofMillis(400));
    backlog.look();
    backlog.look();
    assertThat(givenUp).containsExactly("first");
    assertThat(backlog.groups()).as("until its writes are over").isEqualTo(2);
    assertThat(backlog.groupsGivenUp()).isEqualTo(1);
  }

  @Test
  void oneThatIsGivenUpIsNotCommittedNorTheOtherWayRound() {
    List<String> givenUp = new ArrayList<>();
    ParityBacklog.Late committed = backlog.add(GROUP, 100, () -> givenUp.add("committed"));
    ParityBacklog.Late late = backlog.add(GROUP, 100, () -> givenUp.add("late"));
    assertThat(backlog.beginCommit(committed)).isTrue();
    clock.advance(Duration.ofMinutes(10));
    backlog.look();
    assertThat(givenUp).containsExactly("late");
    assertThat(backlog.beginCommit(late)).isFalse();
  }

  @Test
  void noneIsLetInBehindOneThatHasHadHalfOfItsTime() {
    assertThat(backlog.admits()).isTrue();
    ParityBacklog.Late first = add(100);
    clock.advance(Duration.ofMinutes(5).minusMillis(1));
    assertThat(backlog.admits()).isTrue();
    assertThat(backlog.groupsAwaited()).isZero();
    clock.advance(Duration.ofMillis(1));
    assertThat(backlog.admits()).isFalse();
    assertThat(backlog.groupsAwaited()).isEqualTo(1);
    backlog.remove(first, 0);
    assertThat(backlog.admits()).isTrue();
  }
}
