// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.positional;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class KeptBlocksTest {
  private static final int SIZE = 10;
  private static final int MOST = 4;

  private final KeptBlocks blocks = new KeptBlocks(MOST);
  private final List<CountingWay> ways = new ArrayList<>();

  private KeptBlock block(int index) {
    CountingWay way = new CountingWay(new byte[SIZE]);
    ways.add(way);
    return new KeptBlock(index * (long) SIZE, (index + 1) * (long) SIZE, way);
  }

  private long open() {
    return ways.stream().filter(way -> way.closed.get() == 0).count();
  }

  @Test
  void anOffsetFindsItsBlockInWhateverOrderTheyCame() {
    List<Integer> order = new ArrayList<>(List.of(1, 3, 4, 7));
    Collections.shuffle(order, new Random(1));
    for (int index : order) {
      assertThat(blocks.add(block(index))).isNotNull();
    }
    for (int offset = 0; offset < 100; offset++) {
      KeptBlock found = blocks.find(offset);
      if (order.contains(offset / SIZE)) {
        assertThat(found).isNotNull();
        assertThat(found.start()).isEqualTo((long) (offset - offset % SIZE));
      } else {
        assertThat(found).isNull();
      }
    }
  }

  @Test
  void noMoreThanSoManyAreKeptAndTheOthersAreClosed() {
    for (int index = 0; index < 10 * MOST; index++) {
      KeptBlock block = block(index);
      assertThat(blocks.add(block)).isSameAs(block);
      assertThat(blocks.find(index * (long) SIZE)).isSameAs(block);
      assertThat(open()).isEqualTo(Math.min(index + 1, MOST));
    }
  }

  @Test
  void theFirstOfTwoWaysToABlockIsKept() {
    KeptBlock first = block(2);
    assertThat(blocks.add(first)).isSameAs(first);
    assertThat(blocks.add(block(2))).isSameAs(first);
    assertThat(ways.get(0).closed).hasValue(0);
    assertThat(ways.get(1).closed).hasValue(1);
  }

  @Test
  void whatIsRemovedIsClosedAndNotItsSuccessor() {
    KeptBlock old = block(2);
    blocks.add(old);
    blocks.add(block(3));
    blocks.remove(old);
    KeptBlock next = block(2);
    blocks.add(next);
    blocks.remove(old); // by another thread, which met the same
    assertThat(blocks.find(25)).isSameAs(next);
    assertThat(open()).isEqualTo(2);
  }

  @Test
  void clearedItTakesOthersAndClosedItTakesNone() {
    blocks.add(block(0));
    blocks.clear();
    assertThat(open()).isZero();
    assertThat(blocks.add(block(0))).isNotNull();
    blocks.close();
    assertThat(blocks.add(block(1))).isNull();
    assertThat(open()).isZero();
    assertThat(blocks.find(0)).isNull();
  }
}
