// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.positional;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.hdfs.client.way.BlockWay;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What is read by kept ways, and what is left to Hadoop. */
class PositionalReaderTest {
  private static final int BLOCK = 1000;
  private static final int LENGTH = 3 * BLOCK + 77;

  private final byte[] file = new byte[LENGTH];
  private final List<CountingWay> opened = new ArrayList<>();
  private final Source source = new Source();
  private final PositionalReader reader = new PositionalReader(source, this::at);
  private int lookups;
  private boolean lost;

  PositionalReaderTest() {
    new Random(1).nextBytes(file);
  }

  private @Nullable LocatedBlock at(long offset) throws IOException {
    lookups++;
    if (lost) {
      throw new EOFException("as told");
    }
    if (offset >= LENGTH) {
      return null;
    }
    long start = offset / BLOCK * BLOCK;
    ExtendedBlock block = new ExtendedBlock("pool", start, Math.min(BLOCK, LENGTH - start), 1);
    return new LocatedBlock(
        block, new DatanodeInfo[0], null, null, start, start == source.corrupt, null);
  }

  private final class Source implements PositionalSource {
    final List<Throwable> accidents = new ArrayList<>();
    final List<Integer> reads = new ArrayList<>();
    final List<Integer> ownReads = new ArrayList<>();
    boolean open = true;
    boolean may = true;
    boolean has = true;
    @Nullable FallbackException refusal;
    @Nullable RuntimeException accident;
    long corrupt = -1;

    @Override
    public boolean isOpen() {
      return open;
    }

    @Override
    public boolean mayRead() {
      return may;
    }

    @Override
    public @Nullable BlockWay open(LocatedBlock block) throws FallbackException {
      if (refusal != null) {
        throw refusal;
      }
      if (accident != null) {
        throw accident;
      }
      if (!has) {
        return null;
      }
      int start = (int) block.getStartOffset();
      CountingWay way =
          new CountingWay(Arrays.copyOfRange(file, start, start + (int) block.getBlockSize()));
      opened.add(way);
      return way;
    }

    @Override
    public void read(int bytes) {
      reads.add(bytes);
    }

    @Override
    public void read(int bytes, BlockWay by, long nanos) {
      assertThat(nanos).isNotNegative();
      assertThat(((CountingWay) by).closed).as("it may be asked yet").hasValue(0);
      ownReads.add(bytes);
    }

    @Override
    public void failed(Throwable failure) {
      accidents.add(failure);
    }
  }

  private int read(long position, int count) {
    byte[] got = new byte[count + 2];
    int done = reader.read(position, got, 1, count);
    if (done > 0) {
      assertThat(Arrays.copyOfRange(got, 1, 1 + done))
          .isEqualTo(Arrays.copyOfRange(file, (int) position, (int) position + done));
    }
    return done;
  }

  private void leaves(long position, int count) {
    assertThat(read(position, count)).isZero();
  }

  @Test
  void aBlockIsLookedUpAndOpenedOnce() {
    Random random = new Random(2);
    for (int i = 0; i < 100; i++) {
      assertThat(read(BLOCK + random.nextInt(BLOCK - 50), 50)).isEqualTo(50);
    }
    assertThat(lookups).isEqualTo(1);
    assertThat(opened).singleElement().satisfies(way -> assertThat(way.reads).hasValue(100));
    assertThat(source.reads).hasSize(100).containsOnly(50);
  }

  @Test
  void aReadOfSeveralBlocksIsOneRead() {
    assertThat(read(BLOCK - 10, BLOCK + 20)).isEqualTo(BLOCK + 20);
    assertThat(opened).hasSize(3);
    assertThat(source.reads).containsExactly(BLOCK + 20);
  }

  @Test
  void aWayMayServeLessAtATime() {
    read(0, 1);
    opened.get(0).most = 7;
    assertThat(read(5, 100)).isEqualTo(100);
    assertThat(source.reads).containsExactly(1, 100);
  }

  @Test
  void theEndIsTheEnd() {
    assertThat(read(LENGTH - 10, 100)).isEqualTo(10);
    leaves(LENGTH, 10);
    leaves(Long.MAX_VALUE, 10);
  }

  @Test
  void whatHadoopIsToJudgeIsLeftToIt() {
    assertThat(reader.read(0, (byte[]) null, 0, 1)).isZero();
    assertThat(reader.read(0, new byte[5], 3, 3)).isZero();
    assertThat(reader.read(0, new byte[5], -1, 3)).isZero();
    assertThat(reader.read(0, new byte[5], 0, -1)).isZero();
    assertThat(reader.read(0, ByteBuffer.allocate(5).asReadOnlyBuffer())).isZero();
    leaves(-1, 10);
    leaves(0, 0);
    assertThat(lookups).isZero();
    assertThat(source.reads).isEmpty();
  }

  @Test
  void buffersKeepTheirPosition() {
    for (ByteBuffer buffer : List.of(ByteBuffer.allocate(60), ByteBuffer.allocateDirect(60))) {
      buffer.position(5).limit(55);
      assertThat(reader.read(BLOCK - 20, buffer)).isEqualTo(50);
      assertThat(buffer.position()).isEqualTo(5);
      assertThat(buffer.limit()).isEqualTo(55);
      assertThat(buffer).isEqualTo(ByteBuffer.wrap(file, BLOCK - 20, 50));
    }
  }

  @Test
  void aWayThatFailsIsClosedAndOpenedAnew() {
    read(0, 10);
    opened.get(0).atRead =
        () -> {
          throw new FallbackException(FallbackReason.LEASE_EXPIRED, "as told");
        };
    leaves(0, 10);
    assertThat(opened.get(0).closed.get()).isPositive();
    assertThat(read(0, 10)).isEqualTo(10);
    assertThat(opened).hasSize(2);
    assertThat(source.accidents).isEmpty();
  }

  @Test
  void aWayThatServesNothingIsClosed() {
    read(0, 10);
    opened.get(0).most = 0;
    leaves(0, 10);
    assertThat(opened.get(0).closed.get()).isPositive();
  }

  @Test
  void aWayThatServesNothingThisOnceIsKept() {
    read(0, 10);
    opened.get(0).most = BlockWay.NOT_NOW;
    leaves(0, 10);
    opened.get(0).most = 10;
    assertThat(read(0, 10)).isEqualTo(10);
    assertThat(opened).singleElement().satisfies(way -> assertThat(way.closed).hasValue(0));
    assertThat(source.reads).containsExactly(10, 10);
  }

  @Test
  void whatCameBeforeAFailureIsThere() {
    read(BLOCK, 1);
    opened.get(0).atRead =
        () -> {
          throw new IOException("as told");
        };
    assertThat(read(BLOCK - 30, 60)).isEqualTo(30);
  }

  @Test
  void anAccidentIsTold() {
    read(0, 10);
    opened.get(0).atRead =
        () -> {
          throw new IllegalStateException("as told");
        };
    leaves(0, 10);
    source.accident = new IllegalStateException("as told, too");
    leaves(0, 10);
    assertThat(source.accidents).hasSize(2);
  }

  @Test
  void blocksWithoutAWayAreLeft() throws Exception {
    source.has = false;
    leaves(0, 10);
    source.has = true;
    source.refusal = new FallbackException(FallbackReason.FIRST_READ, "as told");
    leaves(0, 10);
    source.refusal = null;
    source.corrupt = 0;
    leaves(0, 10);
    lost = true;
    leaves(BLOCK, 10);
    assertThat(opened).isEmpty();
    assertThat(source.accidents).isEmpty();
  }

  @Test
  void nobodyIsAskedForBlocksWhereNothingMayBeRead() {
    source.may = false;
    leaves(0, 10);
    assertThat(lookups).isZero();
  }

  @Test
  void aClosedFileSystemReadsNothing() {
    read(0, 10);
    source.open = false;
    leaves(0, 10);
  }

  @Test
  void releasedItOpensAnewAndClosedItDoesNot() {
    read(0, 10);
    reader.release();
    assertThat(opened.get(0).closed).hasValue(1);
    assertThat(read(0, 10)).isEqualTo(10);
    reader.close();
    assertThat(opened.get(1).closed).hasValue(1);
    leaves(0, 10);
    assertThat(opened).hasSize(2);
  }

  @Test
  void aReadThatIsNotForTheKeptWayHasOneOfItsOwn() {
    read(0, 10);
    CountingWay own = notNow(opened.get(0));
    assertThat(read(100, 10)).isEqualTo(10);
    assertThat(opened.get(0).onceEnd).isEqualTo(110);
    assertThat(source.ownReads).containsExactly(10);
    assertThat(source.reads).containsExactly(10);
    assertThat(own.closed).hasValue(1);
    assertThat(opened.get(0).closed).hasValue(0);
    opened.get(0).most = BLOCK;
    assertThat(read(100, 10)).isEqualTo(10);
    assertThat(opened).hasSize(1);
    assertThat(own.reads).hasValue(1);
  }

  @Test
  void eachPartOfAReadGoesByItsOwnBlocksWays() {
    read(0, 10);
    notNow(opened.get(0));
    assertThat(read(BLOCK - 10, 30)).isEqualTo(30);
    assertThat(opened.get(0).onceEnd).isEqualTo(BLOCK);
    assertThat(source.ownReads).containsExactly(10);
    assertThat(source.reads).containsExactly(10, 20);
  }

  @Test
  void whatAReadsOwnWayDoesNotServeIsLeft() {
    read(0, 10);
    CountingWay own = notNow(opened.get(0));
    own.atRead =
        () -> {
          throw new FallbackException(FallbackReason.DEVICE_IO_ERROR, "as told");
        };
    leaves(0, 10);
    own.atRead =
        () -> {
          throw new IllegalStateException("as told");
        };
    leaves(0, 10);
    assertThat(source.accidents).hasSize(1);
    assertThat(own.closed).hasValue(2);
    assertThat(source.ownReads).isEmpty();
  }

  private CountingWay notNow(CountingWay kept) {
    CountingWay own = new CountingWay(Arrays.copyOf(file, BLOCK));
    kept.most = BlockWay.NOT_NOW;
    kept.once = own;
    return own;
  }

  @Test
  void aReadUnderWayClosesTheWayAgain() {
    read(0, 10);
    opened.get(0).atRead = reader::close;
    assertThat(read(0, 10)).isEqualTo(10); // all of its bytes are there
    assertThat(opened.get(0).closed).hasValue(2);
  }
}
