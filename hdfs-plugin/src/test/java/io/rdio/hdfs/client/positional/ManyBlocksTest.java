// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.positional;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.hdfs.client.way.BlockWay;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.junit.jupiter.api.Test;

/** A file of many blocks that is read here and there: each block has one way, up to a bound. */
class ManyBlocksTest {
  private static final int BLOCK = 10;
  private static final int READS = 20_000;

  private final List<CountingWay> opened = new ArrayList<>();
  private final PositionalReader reader = new PositionalReader(new Source(), ManyBlocksTest::at);

  private static LocatedBlock at(long offset) {
    long start = offset / BLOCK * BLOCK;
    return new LocatedBlock(
        new ExtendedBlock("pool", start, BLOCK, 1),
        new DatanodeInfo[0],
        null,
        null,
        start,
        false,
        null);
  }

  private final class Source implements PositionalSource {
    @Override
    public boolean isOpen() {
      return true;
    }

    @Override
    public boolean mayRead() {
      return true;
    }

    @Override
    public BlockWay open(LocatedBlock block) {
      CountingWay way = new CountingWay(new byte[BLOCK]);
      opened.add(way);
      return way;
    }

    @Override
    public void read(int bytes) {}

    @Override
    public void read(int bytes, BlockWay by, long nanos) {}

    @Override
    public void failed(Throwable accident) {
      throw new AssertionError(accident);
    }
  }

  private void readHereAndThere(int blocks) {
    Random random = new Random(blocks);
    byte[] got = new byte[1];
    for (int i = 0; i < READS; i++) {
      long offset = random.nextInt(blocks * BLOCK);
      assertThat(reader.read(offset, got, 0, 1)).isEqualTo(1);
    }
  }

  private long open() {
    return opened.stream().filter(way -> way.closed.get() == 0).count();
  }

  @Test
  void eachOfAThousandBlocksIsOpenedOnce() {
    readHereAndThere(1000);
    assertThat(opened).hasSize(1000);
    assertThat(open()).isEqualTo(1000);
  }

  @Test
  void ofMoreBlocksSoManyAreOpen() {
    readHereAndThere(2 * PositionalReader.BLOCKS_MAX);
    assertThat(open()).isEqualTo(PositionalReader.BLOCKS_MAX);
    reader.close();
    assertThat(open()).isZero();
  }
}
