// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import io.rdio.bench.client.Items.Place;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class ItemsTest {
  private static final int DRAWS = 1_000_000;
  private static final double EXPONENT = 0.99;

  /** How often each item is chosen, by a fixed seed. */
  private static long[] draw(Items items) {
    SplittableRandom random = new SplittableRandom(1);
    long[] counts = new long[(int) items.count()];
    for (int i = 0; i < DRAWS; i++) {
      counts[(int) items.choose(random)]++;
    }
    return counts;
  }

  @Test
  void zipfFollowsItsLaw() {
    Items items = new Items(new long[] {1000 * 4096L}, List.of(4096), EXPONENT, 7);
    long[] counts = draw(items);
    Arrays.sort(counts);
    double sum = 0;
    for (int rank = 1; rank <= 1000; rank++) {
      sum += Math.pow(rank, -EXPONENT);
    }
    for (int rank : new int[] {1, 2, 10, 100, 1000}) {
      double expected = DRAWS * Math.pow(rank, -EXPONENT) / sum;
      // Six standard deviations; sorting by count moves neighbours in the tail a little.
      assertThat((double) counts[1000 - rank])
          .as("rank " + rank)
          .isCloseTo(expected, within(6 * Math.sqrt(expected) + 0.2 * expected * rank / 1000));
    }
  }

  @Test
  void zipfIsScrambled() {
    long[] counts = draw(new Items(new long[] {1000 * 4096L}, List.of(4096), EXPONENT, 7));
    List<Integer> byCount = new ArrayList<>();
    for (int i = 0; i < counts.length; i++) {
      byCount.add(i);
    }
    byCount.sort((a, b) -> Long.compare(counts[b], counts[a]));
    assertThat(byCount.subList(0, 5)).isNotEqualTo(List.of(0, 1, 2, 3, 4));
    long[] others = draw(new Items(new long[] {1000 * 4096L}, List.of(4096), EXPONENT, 8));
    assertThat(others).isNotEqualTo(counts);
  }

  @Test
  void uniformChoosesAllAlike() {
    long[] counts = draw(new Items(new long[] {1000 * 4096L}, List.of(4096), 0, 0));
    double expected = DRAWS / 1000.0;
    double chiSquare = 0;
    for (long count : counts) {
      chiSquare += (count - expected) * (count - expected) / expected;
    }
    // 999 degrees of freedom: mean 999, standard deviation 45.
    assertThat(chiSquare).isBetween(999 - 5 * 45.0, 999 + 5 * 45.0);
  }

  @Test
  void itemsLieWithinTheirFilesAndDoNotOverlap() {
    long[] lengths = {10_000, 100_000, 20_000, 65_536};
    Items items = new Items(lengths, List.of(4096, 8192, 16384), 0, 0);
    assertThat(items.count()).isEqualTo(0 + 6 + 1 + 4);
    List<Long> starts = new ArrayList<>();
    for (long item = 0; item < items.count(); item++) {
      Place place = items.place(item);
      assertThat(place).isEqualTo(items.place(item));
      assertThat(place.bytes()).isIn(4096, 8192, 16384);
      assertThat(place.position() % 16384).isZero();
      assertThat(place.position() + 16384).isLessThanOrEqualTo(lengths[place.file()]);
      starts.add(place.file() * 1_000_000L + place.position());
    }
    assertThat(starts).doesNotHaveDuplicates();
  }

  @Test
  void allSizesAreRead() {
    Items items = new Items(new long[] {1 << 20}, List.of(4096, 8192), 0, 0);
    List<Integer> sizes = new ArrayList<>();
    for (long item = 0; item < items.count(); item++) {
      sizes.add(items.place(item).bytes());
    }
    assertThat(sizes).contains(4096, 8192);
  }

  @Test
  void refusesFilesTooShortForAnyRead() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Items(new long[] {4095}, List.of(4096), 0, 0))
        .withMessageContaining("4096");
  }
}
