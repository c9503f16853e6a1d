// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.client.counters.DeviceCounters;
import io.rdio.core.FallbackReason;
import io.rdio.core.testing.ManualClock;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What the attacked host is told, and what it says; the attack itself needs two hosts. */
final class AttackedHostTest {
  private static final AttackedHost.Task LOOKING = new AttackedHost.Task(true, true, 20, 500, 180);

  private final AttackedReader reader = reader();

  /** One that has not read anything. */
  private static AttackedReader reader() {
    return new AttackedReader(null, Marks::isOf, new ManualClock(), true, 1);
  }

  private boolean ends(AttackedHost.Task task, int seconds) {
    return task.isDone(reader, TimeUnit.SECONDS.toNanos(seconds));
  }

  @Test
  void understandsItsTasks() {
    assertThat(AttackedHost.Task.parse("read blind unverified 0 0 60"))
        .isEqualTo(new AttackedHost.Task(false, false, 0, 0, 60));
    assertThat(AttackedHost.Task.parse("read looking verified 20 500 180")).isEqualTo(LOOKING);
    assertThatThrownBy(() -> AttackedHost.Task.parse("read looking"))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void readsForItsTimeAndUntilItHasItsShareOfPages() {
    reader.pages = 250;
    assertThat(ends(LOOKING, 19)).isFalse();
    assertThat(ends(LOOKING, 20)).isTrue();
    reader.pages = 249;
    assertThat(ends(LOOKING, 20)).isFalse();
    assertThat(ends(LOOKING, 180)).isTrue();
  }

  @Test
  void endsAtTheFirstForeignPage() {
    reader.foreign.add("blk_1");
    assertThat(ends(LOOKING, 0)).isTrue();
  }

  @Test
  void blindReaderGoesOnUntilThen() {
    AttackedHost.Task blind = new AttackedHost.Task(false, false, 0, 0, 60);
    reader.pages = 1_000_000;
    assertThat(ends(blind, 59)).isFalse();
    assertThat(ends(blind, 60)).isTrue();
  }

  /** {@code AttackOutcomeTest} of the plugin has the other end of it. */
  @Test
  void saysWhatAllReadersCameTo() {
    AttackedReader other = reader();
    reader.pages = 400;
    reader.maps = 15;
    reader.refusals.put(FallbackReason.LEASE_EXPIRED, 4);
    other.pages = 200;
    other.maps = 5;
    other.foreign.add("blk_1");
    other.refusals.put(FallbackReason.LEASE_EXPIRED, 3);
    DeviceCounters counters = new DeviceCounters();
    counters.looks.add(590);
    counters.filesChanged.add(7);

    assertThat(AttackedHost.line(List.of(reader, other), counters))
        .isEqualTo("read 600 20 1 590 7 LEASE_EXPIRED=7");
  }
}
