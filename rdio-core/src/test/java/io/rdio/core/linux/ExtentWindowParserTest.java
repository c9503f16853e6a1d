// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.linux;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** What is believed of FIEMAP's answers, and what is not. */
final class ExtentWindowParserTest {
  private static final int ROOM = 4;
  private static final int LAST = 1;

  private static ByteBuffer answer(long... extents) {
    ByteBuffer answer =
        ByteBuffer.allocate(Fiemap.HEADER_BYTES + ROOM * Fiemap.EXTENT_BYTES)
            .order(ByteOrder.nativeOrder());
    answer.putInt(20, extents.length / 4);
    for (int i = 0; i < extents.length / 4; i++) {
      int at = Fiemap.HEADER_BYTES + i * Fiemap.EXTENT_BYTES;
      answer.putLong(at, extents[4 * i]).putLong(at + 8, extents[4 * i + 1]);
      answer.putLong(at + 16, extents[4 * i + 2]).putInt(at + 40, (int) extents[4 * i + 3]);
    }
    return answer;
  }

  private static List<String> pieces(ExtentWindow window, long offset, long length) {
    List<String> pieces = new ArrayList<>();
    window.pieces(offset, length, (physical, bytes) -> pieces.add(physical + "+" + bytes));
    return pieces;
  }

  @Test
  void extentsAreCutToTheWindowAndNeighboursJoined() {
    ExtentWindowParser parser = new ExtentWindowParser(4096, 65536);
    parser.accept(answer(0, 100_000, 8192, 0, 8192, 108_192, 4096, 0, 12288, 500_000, 90_000, 0));

    assertThat(parser.isComplete()).isTrue();
    ExtentWindow window = parser.window();
    assertThat(window.count()).isEqualTo(2);
    assertThat(pieces(window, 4096, 12288)).containsExactly("104096+8192", "500000+4096");
    assertThat(window.covers(4096, 65536 - 4096)).isTrue();
  }

  @Test
  void whatIsNotPlainWrittenDataIsAHole() {
    for (int flags : new int[] {0x2, 0x6, 0x8, 0x80, 0x100, 0x200, 0x800, 0x4000}) {
      ExtentWindowParser parser = new ExtentWindowParser(0, 65536);
      parser.accept(answer(0, 100_000, 4096, flags, 4096, 200_000, 4096, LAST));

      assertThat(pieces(parser.window(), 0, 65536)).containsExactly("200000+4096");
    }
  }

  @Test
  void sharedExtentsAreReadLikeOthers() {
    ExtentWindowParser parser = new ExtentWindowParser(0, 65536);
    parser.accept(answer(0, 100_000, 4096, 0x2001));

    assertThat(pieces(parser.window(), 0, 4096)).containsExactly("100000+4096");
  }

  @Test
  void fullAnswerIsFollowedByAnother() {
    ExtentWindowParser parser = new ExtentWindowParser(0, 65536);
    parser.accept(
        answer(0, 10_000, 100, 0, 100, 20_000, 100, 0, 200, 30_000, 100, 0, 300, 40_000, 100, 0));
    assertThat(parser.isComplete()).isFalse();
    assertThat(parser.next()).isEqualTo(400);

    parser.accept(answer(400, 50_000, 100, LAST));

    assertThat(parser.isComplete()).isTrue();
    assertThat(parser.window().covers(0, 500)).isTrue();
    assertThat(parser.window().covers(0, 501)).isFalse();
  }

  /** Whatever comes, the questions end, and pieces lie within what was asked for. */
  @Property(tries = 500)
  void garbageDoesNoHarm(@ForAll long seed) {
    Random random = new Random(seed);
    ExtentWindowParser parser = new ExtentWindowParser(1 << 16, 1 << 20);
    for (int i = 0; i < 5000 && !parser.isComplete(); i++) {
      long[] extents = new long[4 * random.nextInt(ROOM + 1)];
      for (int j = 0; j < extents.length; j++) {
        extents[j] = random.nextInt(4) == 0 ? random.nextLong() : random.nextInt(1 << 21);
        extents[j] = j % 4 == 3 && random.nextBoolean() ? 0 : extents[j];
      }
      ByteBuffer answer = answer(extents);
      if (random.nextInt(8) == 0) {
        answer.putInt(20, random.nextInt());
      }
      parser.accept(answer);
    }

    assertThat(parser.isComplete()).isTrue();
    long[] sum = new long[1];
    parser
        .window()
        .pieces(
            1 << 16,
            (1 << 20) - (1 << 16),
            (physical, length) -> {
              assertThat(physical).isNotNegative();
              assertThat(length).isPositive();
              sum[0] += length;
            });
    assertThat(sum[0]).isLessThanOrEqualTo((1 << 20) - (1 << 16));
  }
}
