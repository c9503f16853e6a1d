// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** Whose the memory is that goes from one size of windows to another. */
final class WindowGroupTest {
  private static final int LARGE = 1 << 20;
  private static final int SMALL = 256 << 10;
  private static final int BYTES = 2 * WindowPool.bytes(LARGE);

  private final WindowGroup group = new WindowGroup(ByteBuffer.allocateDirect(BYTES), BYTES);

  @Test
  void isItsMakersUntilThatGivesItBack() {
    assertThat(group.cutAnew()).isEqualTo(WindowGroup.LENT);
    assertThat(group.lend(WindowGroup.FIRST_CUT)).isTrue();
    group.takeBack();
    assertThat(group.cutAnew()).as("the window is lent").isEqualTo(WindowGroup.LENT);
    group.takeBack();
    assertThat(group.cutAnew()).isNotEqualTo(WindowGroup.LENT);
    assertThat(group.cutAnew()).as("who cuts it holds it").isEqualTo(WindowGroup.LENT);
  }

  @Test
  void windowOfAnEarlierCutIsNotLent() {
    group.takeBack();
    int second = group.cutAnew();
    assertThat(group.lend(WindowGroup.FIRST_CUT)).isFalse();
    assertThat(group.lend(second)).isTrue();
    group.takeBack();
    group.takeBack();
    int third = group.cutAnew();
    assertThat(third).isNotIn(WindowGroup.FIRST_CUT, second, WindowGroup.LENT);
    assertThat(group.lend(second)).isFalse();
    assertThat(group.lend(third)).isTrue();
  }

  @Test
  void windowsShareAllOfItAndNoByteTwice() {
    for (int size : new int[] {LARGE, SMALL, 64 << 10, 16 << 10}) {
      int windows = group.windows(size);
      assertThat((long) (windows + 1) * WindowPool.bytes(size)).isGreaterThan(BYTES);
      long footprint = 0;
      for (int i = 0; i < windows; i++) {
        WindowGroup.Place place = group.place(WindowGroup.FIRST_CUT, size, i);
        assertThat(place.data().capacity()).isEqualTo(WindowPool.dataBytes(size));
        assertThat(place.data().capacity() + place.crcs().capacity())
            .isEqualTo(WindowPool.bytes(size));
        assertNotMarked(place.data());
        assertNotMarked(place.crcs());
        footprint += place.footprint();
      }
      assertThat(footprint).isBetween((long) BYTES - windows, (long) BYTES);
      group.memory().put(0, new byte[BYTES]);
    }
  }

  private static void assertNotMarked(ByteBuffer memory) {
    byte[] marks = new byte[memory.capacity()];
    assertThat(memory.mismatch(ByteBuffer.wrap(marks))).isEqualTo(-1);
    Arrays.fill(marks, (byte) 1);
    memory.put(0, marks);
  }

  @Test
  void hasNoneOfASizeThatItsMemoryIsTooSmallFor() {
    assertThat(group.windows(4 * LARGE)).isZero();
  }
}
