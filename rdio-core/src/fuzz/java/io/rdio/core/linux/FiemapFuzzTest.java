// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.linux;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.extent.ExtentList;
import io.rdio.core.testing.Allocation;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** Answer after answer of a kernel that lies. */
final class FiemapFuzzTest {
  private static final long[] EDGES = {
    0, 1, 4095, 4096, 8192, 1L << 40, Long.MAX_VALUE - 4096, Long.MAX_VALUE, Long.MIN_VALUE, -1
  };
  private static final int[] FLAGS = {0, 0, 0, 0x1000, 0x1, 0x2, 0x800, 0x4000};

  /** Each answer maps more, so that asking on ends; what is mapped is in range. */
  @Property(tries = 2000)
  void everyAnswerMapsMoreOrIsRefused(
      @ForAll long seed, @ForAll @IntRange(min = 0, max = 9) int lengthAt) throws Exception {
    Random random = new Random(seed);
    long length = lengthAt < 8 ? Math.max(1, EDGES[lengthAt]) : 1 + random.nextInt(1 << 20);
    FiemapParser parser = new FiemapParser("f", length);
    long allocated = Allocation.of(() -> askOn(parser, random));
    assertThat(allocated).isLessThan(4 << 20);
  }

  private static void askOn(FiemapParser parser, Random random) {
    try {
      for (int i = 0; i < 50 && !parser.isComplete(); i++) {
        long before = parser.mappedBytes();
        parser.accept(answer(parser.mappedBytes(), random));
        assertThat(parser.mappedBytes()).isGreaterThan(before);
      }
      if (parser.isComplete()) {
        ExtentList extents = parser.extents();
        for (int i = 0; i < extents.count(); i++) {
          assertThat(extents.physical(i)).isNotNegative();
          assertThat(extents.end(i)).isGreaterThan(extents.start(i));
        }
        assertThat(extents.physicalEnd()).isPositive();
      }
    } catch (FallbackException e) {
      assertThat(e.reason()).isEqualTo(FallbackReason.EXTENTS_UNMAPPABLE);
    }
  }

  /** Often one that goes on where the last one ended, with numbers at the edges. */
  private static ByteBuffer answer(long mapped, Random random) {
    int count = random.nextInt(4);
    int room = Math.max(count, random.nextInt(5));
    ByteBuffer answer =
        ByteBuffer.allocate(Fiemap.HEADER_BYTES + room * Fiemap.EXTENT_BYTES)
            .order(ByteOrder.nativeOrder());
    answer.putInt(20, random.nextInt(20) == 0 ? random.nextInt() : count);
    long logical = mapped;
    for (int i = 0; i < count; i++) {
      int at = Fiemap.HEADER_BYTES + i * Fiemap.EXTENT_BYTES;
      long bytes = random.nextInt(4) == 0 ? edge(random) : 4096L * (1 + random.nextInt(64));
      answer.putLong(at, random.nextInt(6) == 0 ? edge(random) : logical);
      answer.putLong(at + 8, random.nextInt(4) == 0 ? edge(random) : random.nextLong() >>> 20);
      answer.putLong(at + 16, bytes);
      answer.putInt(at + 40, FLAGS[random.nextInt(FLAGS.length)]);
      logical += bytes;
    }
    return answer;
  }

  private static long edge(Random random) {
    return EDGES[random.nextInt(EDGES.length)];
  }
}
