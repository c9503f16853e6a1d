// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.vectored;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.RangeReads;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import org.apache.hadoop.fs.FileRange;
import org.apache.hadoop.fs.impl.CombinedFileRange;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A submission of two blocks, of which a DataNode has the first one sooner. */
class ApartRangesTest {
  private static final int BLOCK = 1000;

  private final byte[] file = new byte[2 * BLOCK];
  private final List<String> told = new ArrayList<>();
  private final List<Throwable> accidents = new ArrayList<>();
  private int open;
  private boolean dataNodeIsDown;
  private boolean callerIsInterrupted;
  private boolean clientIsGone;

  @BeforeEach
  void fill() {
    new Random(1).nextBytes(file);
  }

  @AfterEach
  void clearInterrupt() {
    Thread.interrupted();
  }

  private final class Source implements RangeSource {
    @Override
    public boolean mayRead() {
      return true;
    }

    @Override
    public RangeReads open(LocatedBlock block, long end, long wanted) {
      open++;
      return new Reads((int) block.getStartOffset());
    }

    @Override
    public void readByDataNode(LocatedBlock block, long offset, ByteBuffer target, int count)
        throws FallbackException, IOException {
      assertThat(block.getStartOffset()).isZero();
      if (clientIsGone) {
        throw new FallbackException(FallbackReason.ACCESSOR_CLOSED, "as told");
      }
      if (callerIsInterrupted) {
        Thread.currentThread().interrupt();
        throw new InterruptedIOException("as told");
      }
      if (dataNodeIsDown) {
        throw new IOException("as told");
      }
      target.duplicate().put(file, (int) offset, count);
    }

    @Override
    public void read(int bytes) {}

    @Override
    public void together(int ranges) {}

    @Override
    public void failed(Throwable accident) {
      accidents.add(accident);
    }
  }

  /** Reads of a block, one range at a time. */
  private final class Reads implements RangeReads {
    private final int start;
    private int begun;
    private boolean closed;

    Reads(int start) {
      this.start = start;
    }

    @Override
    public boolean isByDataNode() {
      return start == 0;
    }

    @Override
    public int begin(long offset, ByteBuffer target, int at, int count) {
      assertThat(isByDataNode()).isFalse();
      if (begun > 0) {
        return 0;
      }
      begun = count;
      return count;
    }

    @Override
    public void submit() {}

    @Override
    public int underWay() {
      return begun > 0 ? 1 : 0;
    }

    @Override
    public int complete() {
      int count = begun;
      begun = 0;
      return count;
    }

    @Override
    public void took(long bytes, long nanos) {
      assertThat(closed).isFalse();
      assertThat(nanos).isNotNegative();
      told.add(start + " took " + bytes);
    }

    @Override
    public void dataNodeFailed(long nanos) {
      assertThat(closed).isFalse();
      told.add(start + " failed");
    }

    @Override
    public void close() {
      if (!closed) {
        closed = true;
        open--;
      }
    }
  }

  private static LocatedBlock block(int start) {
    ExtendedBlock block = new ExtendedBlock("pool", start, BLOCK, 1);
    return new LocatedBlock(block, new DatanodeInfo[0], null, null, start, false, null);
  }

  private static CombinedFileRange range(long offset, int length) {
    return new CombinedFileRange(
        offset, offset + length, FileRange.createFileRange(offset, length));
  }

  private List<Leftover> submit(Consumer<RangeTarget> delivered, CombinedFileRange... ranges) {
    return new Submission(new Source(), List.of(block(0), block(BLOCK)))
        .read(List.of(ranges), ByteBuffer::allocate, buffer -> {}, delivered);
  }

  /** Reads it if the DataNode is to, and checks that its bytes are there then, and only then. */
  private boolean readApart(Leftover left) {
    int from = (int) left.range().getOffset();
    ByteBuffer to = ByteBuffer.allocate(left.range().getLength());
    boolean read = left.readApart(to);
    assertThat(to.flip()).isEqualTo(ByteBuffer.wrap(file, from, read ? to.capacity() : 0));
    return read;
  }

  @Test
  void theDataNodeReadsRangeByRangeAndIsMeasuredByAllOfThem() {
    CombinedFileRange inBoth = range(900, 200);
    CombinedFileRange byDevice = range(1500, 100);
    List<CombinedFileRange> delivered = new ArrayList<>();
    List<Leftover> left =
        submit(
            target -> delivered.add(target.range()),
            range(0, 100),
            range(300, 200),
            inBoth,
            byDevice);
    assertThat(delivered).containsExactly(byDevice);
    assertThat(left).extracting(Leftover::isApart).containsExactly(true, true, false);
    assertThat(left.get(2).range()).isSameAs(inBoth);
    assertThat(open).as("who chose the DataNode").isEqualTo(1);

    assertThat(readApart(left.get(0))).isTrue();
    left.get(0).over();
    assertThat(told).containsExactly("1000 took 100");
    assertThat(readApart(left.get(1))).isTrue();
    left.get(1).over();
    assertThat(told).containsExactly("1000 took 100", "0 took 300");
    assertThat(readApart(left.get(2))).isFalse();
    left.get(2).over();
    assertThat(told).hasSize(2);
    assertThat(open).isZero();
  }

  @Test
  void aDataNodeThatFailsInTheMiddleIsToldOf() {
    List<Leftover> left = submit(target -> {}, range(0, 100), range(300, 200), range(600, 10));
    for (int i = 0; i < left.size(); i++) {
      dataNodeIsDown = i == 1;
      assertThat(readApart(left.get(i))).isEqualTo(!dataNodeIsDown);
      left.get(i).over();
    }
    assertThat(told).containsExactly("0 failed");
    assertThat(accidents).isEmpty();
    assertThat(open).isZero();
  }

  @Test
  void anInterruptSaysNothingOfTheDataNode() {
    List<Leftover> left = submit(target -> {}, range(0, 100), range(300, 200));
    assertThat(readApart(left.get(0))).isTrue();
    left.get(0).over();
    callerIsInterrupted = true;
    assertThat(readApart(left.get(1))).isFalse();
    assertThat(Thread.interrupted()).isTrue();
    left.get(1).over();
    assertThat(told).isEmpty();
    assertThat(accidents).isEmpty();
    assertThat(open).isZero();
  }

  @Test
  void norDoesAClientThatIsGone() {
    clientIsGone = true;
    Leftover left = submit(target -> {}, range(0, 100)).get(0);
    assertThat(readApart(left)).isFalse();
    left.over();
    assertThat(told).isEmpty();
    assertThat(accidents).isEmpty();
    assertThat(open).isZero();
  }

  @Test
  void aRangeWithoutAFitBufferIsNoMeasure() {
    Leftover left = submit(target -> {}, range(0, 100)).get(0);
    assertThat(left.readApart(ByteBuffer.allocate(101))).isFalse();
    assertThat(left.readApart(ByteBuffer.allocate(100).asReadOnlyBuffer())).isFalse();
    left.over();
    assertThat(told).isEmpty();
    assertThat(accidents).isEmpty();
    assertThat(open).isZero();
  }

  @Test
  void nobodyIsWaitedForWhereNoRangeIsOfTheBlockAlone() {
    List<Leftover> left = submit(target -> {}, range(900, 200));
    assertThat(left).extracting(Leftover::isApart).containsExactly(false);
    assertThat(told).isEmpty();
    assertThat(open).isZero();
  }

  @Test
  void norWhereTheCallersOwnFunctionThrows() {
    assertThatThrownBy(
            () ->
                submit(
                    target -> {
                      throw new IllegalStateException("as told");
                    },
                    range(0, 100),
                    range(1500, 100)))
        .isInstanceOf(IllegalStateException.class);
    assertThat(open).isZero();
  }
}
