// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whether or not their size is a power of two, they lie where a division says. */
final class ChunksTest {
  private static final int OFFSETS = 1000;

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 64, 100, 511, 512, 513, 4096, 1 << 20, (1 << 20) + 7, 1 << 30})
  void theyLieWhereADivisionSays(int bytes) {
    Random random = new Random(bytes);
    Chunks chunks = Chunks.of(bytes);
    assertThat(chunks.bytes()).isEqualTo(bytes);
    for (int i = 0; i < OFFSETS; i++) {
      long bound = random.nextLong(1, 1L << 50);
      assertLikeDivision(chunks, random.nextLong(bound));
      assertLikeDivision(chunks, random.nextLong(1 << 20) * bytes);
      assertLikeDivision(chunks, random.nextLong(1, 1 << 20) * bytes - 1);
    }
    assertLikeDivision(chunks, 0);
  }

  private static void assertLikeDivision(Chunks chunks, long offset) {
    long bytes = chunks.bytes();
    assertThat(chunks.in(offset)).isEqualTo(offset / bytes);
    assertThat(chunks.floor(offset)).isEqualTo(offset - offset % bytes);
    assertThat(chunks.over(offset)).isEqualTo((offset + bytes - 1) / bytes);
  }
}
