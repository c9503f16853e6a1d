// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.vectored;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.EOFException;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.fs.FileRange;
import org.junit.jupiter.api.Test;

class SortedRangesTest {
  private static List<FileRange> ranges(long... offsetsAndLengths) {
    FileRange[] ranges = new FileRange[offsetsAndLengths.length / 2];
    for (int i = 0; i < ranges.length; i++) {
      ranges[i] =
          FileRange.createFileRange(offsetsAndLengths[2 * i], (int) offsetsAndLengths[2 * i + 1]);
    }
    return Arrays.asList(ranges);
  }

  @Test
  void byOffsetAlsoWhereTheyTouch() throws Exception {
    List<FileRange> given = ranges(100, 10, 0, 0, 0, 100);
    assertThat(SortedRanges.of(given)).containsExactly(given.get(1), given.get(2), given.get(0));
    assertThat(SortedRanges.of(List.of())).isEmpty();
  }

  @Test
  void whatNobodyCanReadIsRefused() {
    assertThatThrownBy(() -> SortedRanges.of(ranges(5, 10, 0, 6)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("overlap");
    assertThatThrownBy(() -> SortedRanges.of(ranges(0, 1, -1, 1))).isInstanceOf(EOFException.class);
    assertThatThrownBy(() -> SortedRanges.of(ranges(0, -1)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> SortedRanges.of(Arrays.asList((FileRange) null)))
        .isInstanceOf(NullPointerException.class);
  }
}
