// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.device;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class MarksTest {
  @Test
  void contentIsOfItsBlockAndOfFewOthers() {
    Random random = new Random(7);
    for (int i = 0; i < AttackingWriter.BLOCKS; i++) {
      long content = Marks.of(1000 + i, AttackingWriter.name(i), random);
      assertThat(Marks.isOf(content, AttackingWriter.name(i))).isTrue();
      assertThat(blocksOf(content)).isBetween(1L, 5L);
    }
  }

  @Test
  void contentOfNobodyAndZerosAreNoBlocks() {
    assertThat(blocksOf(Marks.ofNobody(1))).isZero();
    assertThat(blocksOf(Marks.ofNobody(1L << 30))).isZero();
    assertThat(blocksOf(0)).isZero();
  }

  @Test
  void contentsWithDifferentNumbersDiffer() {
    assertThat(Marks.ofNobody(1)).isNotEqualTo(Marks.ofNobody(2));
  }

  private static long blocksOf(long content) {
    return IntStream.range(0, AttackingWriter.BLOCKS)
        .filter(block -> Marks.isOf(content, AttackingWriter.name(block)))
        .count();
  }
}
