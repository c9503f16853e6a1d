// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.client.counters.ClientCounters;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A row of a range of two windows, one that the device has, and a range of one. */
class RangeRowTest {
  private static final int WINDOW = 1 << 20;

  private final WindowPool windows = new WindowPool(16L << 20, WINDOW, new ClientCounters());
  private final RangeRow row = new RangeRow();
  private SharedRange first;
  private SharedRange second;

  private SharedRange range(int start, int count) {
    return Objects.requireNonNull(
        SharedRange.borrow(windows, (long) start * WINDOW, count, WINDOW));
  }

  @BeforeEach
  void fill() {
    first = range(1, 2);
    second = range(4, 1);
    row.add(first);
    row.add(second);
  }

  @AfterEach
  void givesAllBack() {
    row.leaveAll();
    assertThat(row.isEmpty()).isTrue();
    assertThat(windows.lentBytes()).isZero();
  }

  @Test
  void whatBeginsInOneBeginsBehindIt() {
    assertThat(row.behind(0)).isZero();
    assertThat(row.behind(WINDOW)).isEqualTo(3L * WINDOW);
    assertThat(row.behind(4L * WINDOW)).isEqualTo(5L * WINDOW);
  }

  @Test
  void thoseThatAreAdjacentAreAsOne() {
    row.add(range(5, 1));
    assertThat(row.behind(4L * WINDOW)).isEqualTo(6L * WINDOW);
  }

  @Test
  void thoseThatArePassedAreLeft() {
    assertThat(row.comeTo(0)).isNull();
    assertThat(row.comeTo(2L * WINDOW)).isSameAs(first);
    assertThat(row.startBehind(0)).isEqualTo(WINDOW);
    long both = windows.lentBytes();
    assertThat(row.comeTo(3L * WINDOW)).isNull();
    assertThat(windows.lentBytes()).isLessThan(both);
    assertThat(row.contains(first)).isFalse();
    assertThat(row.startBehind(3L * WINDOW)).isEqualTo(4L * WINDOW);
    assertThat(row.startBehind(4L * WINDOW)).isEqualTo(Long.MAX_VALUE);
    row.leave(first); // as one may do who has it still
    assertThat(row.contains(second)).isTrue();
  }

  @Test
  void itGrowsAtItsEndOnceNoneWaits() {
    assertThat(row.waiting()).isSameAs(first);
    first.refuse();
    assertThat(row.waiting()).isSameAs(second);
    assertThat(row.mayGrowAt(5L * WINDOW)).isFalse();
    second.refuse();
    assertThat(row.waiting()).isNull();
    assertThat(row.mayGrowAt(5L * WINDOW)).isTrue();
    assertThat(row.mayGrowAt(3L * WINDOW)).isFalse();
  }

  @Test
  void itsBytesAreCounted() {
    assertThat(row.bytes()).isEqualTo(3L * WINDOW);
    assertThat(row.unfilled()).isEqualTo(3L * WINDOW);
    first.refuse();
    assertThat(row.bytes()).isEqualTo(3L * WINDOW);
    assertThat(row.unfilled()).isEqualTo(WINDOW);
  }
}
