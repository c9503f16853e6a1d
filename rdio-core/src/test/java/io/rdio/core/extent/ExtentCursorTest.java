// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.extent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class ExtentCursorTest {
  private final ExtentCursor cursor = new ExtentCursor();

  @Property
  void runsAreTheRangeByteForByteAndAsLongAsCanBe(
      @ForAll long seed, @ForAll @IntRange(min = 1, max = 12) int count) {
    Random random = new Random(seed);
    ExtentList extents = extents(random, count);
    List<Long> places = places(extents);
    int from = random.nextInt(places.size() + 1);
    int to = from + random.nextInt(places.size() - from + 1);

    List<Long> visited = new ArrayList<>();
    cursor.seek(extents, from, to - from);
    while (cursor.next()) {
      assertThat(cursor.length()).isPositive();
      if (!visited.isEmpty()) {
        assertThat(cursor.physical()).isNotEqualTo(visited.get(visited.size() - 1) + 1);
      }
      for (long i = 0; i < cursor.length(); i++) {
        visited.add(cursor.physical() + i);
      }
    }

    assertThat(visited).isEqualTo(places.subList(from, to));
    assertThat(cursor.next()).isFalse();
  }

  @Property
  void alignedMeansThatNoRunBeginsOrEndsOffAlignment(
      @ForAll long seed, @ForAll @IntRange(min = 1, max = 4) int count) {
    Random random = new Random(seed);
    ExtentList extents = extents(random, count);
    int length = (int) extents.length();
    int from = random.nextInt(length);
    int rangeLength = 1 + random.nextInt(length - from);

    boolean expected = true;
    cursor.seek(extents, from, rangeLength);
    while (cursor.next()) {
      expected &= cursor.physical() % 2 == 0 && cursor.length() % 2 == 0;
    }

    cursor.seek(extents, from, rangeLength);
    assertThat(cursor.remainingAligned(2)).isEqualTo(expected);
  }

  @Test
  void rangeOutsideTheExtentsIsRefused() {
    ExtentList extents = ExtentList.of(new long[] {4096}, new long[] {100});
    assertThatThrownBy(() -> cursor.seek(extents, 1, 100))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> cursor.seek(extents, -1, 1))
        .isInstanceOf(IndexOutOfBoundsException.class);
  }

  @Test
  void offsetsBeyondTwoGigabytesAreExact() {
    long big = 1L << 42;
    cursor.seek(ExtentList.of(new long[] {big, 5}, new long[] {big, big}), big - 3, 10);
    assertThat(cursor.next()).isTrue();
    assertThat(cursor.physical()).isEqualTo(2 * big - 3);
    assertThat(cursor.length()).isEqualTo(3);
    assertThat(cursor.next()).isTrue();
    assertThat(cursor.physical()).isEqualTo(5);
    assertThat(cursor.length()).isEqualTo(7);
    assertThat(cursor.next()).isFalse();
  }

  /** Often adjoining the one before. */
  private static ExtentList extents(Random random, int count) {
    long[] physical = new long[count];
    long[] length = new long[count];
    long place = random.nextInt(100);
    for (int i = 0; i < count; i++) {
      physical[i] = random.nextBoolean() ? place : random.nextInt(1000);
      length[i] = 1L + random.nextInt(9);
      place = physical[i] + length[i];
    }
    return ExtentList.of(physical, length);
  }

  private static List<Long> places(ExtentList extents) {
    List<Long> places = new ArrayList<>();
    for (int i = 0; i < extents.count(); i++) {
      for (long at = extents.start(i); at < extents.end(i); at++) {
        places.add(extents.physical(i) + at - extents.start(i));
      }
    }
    return places;
  }
}
