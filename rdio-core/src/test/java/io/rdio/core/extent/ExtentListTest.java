// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.extent;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class ExtentListTest {
  private static final int OBJECT_BYTES = 32;

  /** Whole sectors or single bytes, near or far: what was put in comes out. */
  @Property
  void givesBackWhatItWasMadeOf(
      @ForAll long seed,
      @ForAll @IntRange(max = 12) int count,
      @ForAll @IntRange(max = 9) int unit) {
    Random random = new Random(seed);
    int bits = 8 + random.nextInt(40);
    long[] physical = new long[count];
    long[] length = new long[count];
    for (int i = 0; i < count; i++) {
      physical[i] = (random.nextLong() >>> (Long.SIZE - bits)) << unit;
      length[i] = (1 + (random.nextLong() >>> (Long.SIZE - bits / 2))) << unit;
    }
    assertHas(ExtentList.of(physical, length), physical, length);
  }

  private static void assertHas(ExtentList list, long[] physical, long[] length) {
    assertThat(list.count()).isEqualTo(physical.length);
    long at = 0;
    for (int i = 0; i < physical.length; i++) {
      assertThat(list.physical(i)).isEqualTo(physical[i]);
      assertThat(list.start(i)).isEqualTo(at);
      assertThat(list.indexOf(at)).isEqualTo(i);
      at += length[i];
      assertThat(list.end(i)).isEqualTo(at);
      assertThat(list.indexOf(at - 1)).isEqualTo(i);
    }
    assertThat(list.length()).isEqualTo(at);
    assertThat(list).isEqualTo(ExtentList.of(physical, length));
  }

  @Test
  void extentsOfWholeSectorsTakeEightBytesEach() {
    long far = (1L << 48) - 512;
    long long8GiB = (1L << 33) - 1024;
    ExtentList list = of(new long[] {far, 0}, new long[] {long8GiB, 512});
    assertThat(list.heapBytes()).isEqualTo(OBJECT_BYTES + 2 * 8);
  }

  @Test
  void extentsThatAreTooFarOrLongOrCrookedTakeSixteen() {
    int wide = OBJECT_BYTES + 2 * 16;
    assertThat(of(new long[] {0, 1L << 48}, new long[] {512, 512}).heapBytes()).isEqualTo(wide);
    assertThat(of(new long[] {0, 0}, new long[] {512, 1L << 33}).heapBytes()).isEqualTo(wide);
    assertThat(of(new long[] {0, 512}, new long[] {512, 100}).heapBytes()).isEqualTo(wide);
    assertThat(of(new long[] {0, 1}, new long[] {512, 512}).heapBytes()).isEqualTo(wide);
  }

  private static ExtentList of(long[] physical, long[] length) {
    ExtentList list = ExtentList.of(physical, length);
    assertHas(list, physical, length);
    return list;
  }
}
