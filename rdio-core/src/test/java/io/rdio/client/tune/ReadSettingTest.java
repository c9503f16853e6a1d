// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.tune;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.client.read.RunShape;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What readers make of their settings. */
class ReadSettingTest {
  private static final int KB = 1 << 10;

  @ParameterizedTest
  @CsvSource({
    "4096, 1024, 1024, 4",
    "4096, 512, 512, 8",
    "4096, 256, 256, 16",
    "4096, 64, 64, 16",
    "8192, 1024, 1024, 8",
    "8192, 256, 256, 16",
    "1048576, 65536, 1024, 16",
    "3072, 1024, 256, 12",
    "1024, 1024, 256, 4",
    "256, 1024, 256, 1",
    "100, 1024, 100, 1",
    "0, 1024, 256, 1"
  })
  void severalAtATime(int ahead, int window, int size, int windows) {
    assertThat(new ReadSetting(ahead * KB, window * KB).shape(true))
        .isEqualTo(new RunShape(size * KB, windows));
  }

  @ParameterizedTest
  @CsvSource({"4096, 1024, 1024", "4096, 4096, 4096", "1024, 4096, 1024", "0, 1024, 1024"})
  void oneAfterTheOther(int ahead, int window, int size) {
    assertThat(new ReadSetting(ahead * KB, window * KB).shape(false))
        .isEqualTo(new RunShape(size * KB, 1));
  }

  @Test
  void candidatesMakeReadersReadInDifferentWays() {
    List<RunShape> several = shapes(true, Long.MAX_VALUE);
    assertThat(several).doesNotHaveDuplicates().hasSize(10).allMatch(shape -> shape.windows() > 0);
    List<RunShape> single = shapes(false, Long.MAX_VALUE);
    assertThat(single).doesNotHaveDuplicates().hasSize(5).allMatch(shape -> shape.windows() == 1);
  }

  @Test
  void candidatesTakeNoMoreMemoryThanThereIs() {
    assertThat(shapes(true, 600 * KB))
        .containsExactly(new RunShape(256 * KB, 1), new RunShape(256 * KB, 2));
  }

  private static List<RunShape> shapes(boolean hasQueue, long mostBytes) {
    return ReadSetting.candidates(hasQueue, mostBytes).stream()
        .map(setting -> setting.shape(hasQueue))
        .toList();
  }
}
