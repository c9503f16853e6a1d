// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.vectored;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.RangeQueue;
import io.rdio.core.block.RangeReads;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.hadoop.fs.FileRange;
import org.apache.hadoop.fs.impl.CombinedFileRange;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;

/** What a submission delivers and leaves over, compared with the file's bytes. */
class SubmissionTest {
  private static final int BLOCK = 1000;

  private final List<LocatedBlock> blocks = new ArrayList<>();
  private final Source source = new Source();
  private byte[] file = {};

  private void file(int length) {
    file = new byte[length];
    new Random(1).nextBytes(file);
    for (int at = 0; at < length; at += BLOCK) {
      ExtendedBlock block = new ExtendedBlock("pool", at, Math.min(BLOCK, length - at), 1);
      blocks.add(new LocatedBlock(block, new DatanodeInfo[0], null, null, at, false, null));
    }
  }

  /** Reads of a block with little room; some of them fail. */
  private final class Source implements RangeSource {
    final Set<Long> unreadable = new HashSet<>();
    final Set<Long> failing = new HashSet<>();
    final Set<Long> broken = new HashSet<>();
    final List<Throwable> accidents = new ArrayList<>();
    final List<String> told = new ArrayList<>();
    int room = 3;
    int roomOfAll = Integer.MAX_VALUE;
    int held;
    int mostPerRead = 300;
    int open;
    int together;
    int underWayAtFirstWait = -1;
    int underWay;
    long bytes;

    @Override
    public boolean mayRead() {
      return true;
    }

    @Override
    public RangeReads open(LocatedBlock block, long end, long wanted) throws FallbackException {
      long start = block.getStartOffset();
      assertThat(end).isBetween(1L, block.getBlockSize());
      if (unreadable.contains(start)) {
        throw new FallbackException(FallbackReason.DEVICE_NOT_FOUND, "as told");
      }
      if (broken.contains(start)) {
        throw new IllegalStateException("as told");
      }
      open++;
      return new Reads((int) start);
    }

    @Override
    public void readByDataNode(LocatedBlock block, long offset, ByteBuffer target, int count) {
      throw new AssertionError("nothing is left to a DataNode here");
    }

    @Override
    public void read(int count) {
      bytes += count;
    }

    @Override
    public void together(int ranges) {
      together = ranges;
    }

    @Override
    public void failed(Throwable accident) {
      accidents.add(accident);
    }
  }

  private final class Reads implements RangeReads {
    private final int start;
    private final RangeQueue ranges = new RangeQueue();
    private boolean closed;

    Reads(int start) {
      this.start = start;
    }

    @Override
    public int begin(long offset, ByteBuffer target, int at, int count) {
      if (ranges.size() == source.room || source.held == source.roomOfAll) {
        return 0;
      }
      source.held++;
      int begun = Math.min(count, source.mostPerRead);
      ranges.add(offset, target, at, begun);
      source.underWay++;
      return begun;
    }

    @Override
    public void submit() {}

    @Override
    public int underWay() {
      return ranges.size();
    }

    @Override
    public int complete() throws FallbackException {
      if (source.underWayAtFirstWait < 0) {
        source.underWayAtFirstWait = source.underWay;
      }
      if (source.failing.contains((long) start)) {
        throw new FallbackException(FallbackReason.CHECKSUM_MISMATCH, "as told");
      }
      RangeQueue.Range range = ranges.removeFirst();
      source.held--;
      int from = start + (int) range.offset();
      for (int i = 0; i < range.count(); i++) {
        range.target().put(range.at() + i, file[from + i]);
      }
      return range.count();
    }

    @Override
    public void took(long count, long nanos) {
      assertThat(closed).isFalse();
      assertThat(nanos).isNotNegative();
      source.told.add(start + ": " + count);
    }

    @Override
    public void close() {
      if (!closed) {
        closed = true;
        source.open--;
        source.held -= ranges.size();
      }
    }
  }

  private static CombinedFileRange range(long offset, int length) {
    return new CombinedFileRange(
        offset, offset + length, FileRange.createFileRange(offset, length));
  }

  @Test
  void allBlocksRangesAreBegunBeforeOneIsWaitedFor() {
    file(4 * BLOCK);
    List<CombinedFileRange> ranges = new ArrayList<>();
    for (int at = 0; at < 4 * BLOCK; at += BLOCK) {
      ranges.add(range(at + 10, 100));
      ranges.add(range(at + 500, 100));
    }
    assertThat(read(ranges, new ArrayList<>())).isEmpty();
    assertThat(source.underWayAtFirstWait).isEqualTo(8);
    assertThat(source.together).isEqualTo(8);
  }

  @Test
  void aRangeOfTwoBlocksIsOne() {
    file(2 * BLOCK);
    assertThat(read(Arrays.asList(range(900, 200)), new ArrayList<>())).isEmpty();
    assertThat(source.underWayAtFirstWait).isEqualTo(2);
    assertThat(source.together).isEqualTo(1);
    assertThat(source.bytes).isEqualTo(200);
  }

  @Test
  void whatHadNoRoomIsBegunOnceBlocksBeforeItAreRead() {
    file(3 * BLOCK);
    source.roomOfAll = 2;
    List<CombinedFileRange> ranges =
        Arrays.asList(range(0, 100), range(500, 100), range(BLOCK, 100), range(2 * BLOCK, 100));
    assertThat(read(ranges, new ArrayList<>())).isEmpty();
  }

  @Test
  void moreBlocksThanASubmissionTakesAreLeftOver() {
    file(10 * BLOCK);
    List<CombinedFileRange> ranges = new ArrayList<>();
    for (int at = 0; at < 10 * BLOCK; at += BLOCK) {
      ranges.add(range(at, 100));
    }
    assertThat(read(ranges, new ArrayList<>())).isEqualTo(ranges.subList(8, 10));
  }

  @Test
  void noBufferIsMadeForWhatCannotBeRead() {
    file(2 * BLOCK);
    source.unreadable.add(0L);
    List<CombinedFileRange> ranges = Arrays.asList(range(10, 10), range(990, 20));
    assertThat(
            new Submission(source, blocks)
                .read(
                    ranges,
                    size -> {
                      throw new AssertionError("a buffer of " + size);
                    },
                    buffer -> {},
                    target -> {}))
        .extracting(Leftover::range)
        .isEqualTo(ranges);
    assertThat(source.open).isZero();
  }

  @Test
  void anAccidentIsTold() {
    file(BLOCK);
    source.broken.add(0L);
    List<CombinedFileRange> ranges = Arrays.asList(range(10, 10));
    assertThat(read(ranges, new ArrayList<>())).isEqualTo(ranges);
    assertThat(source.accidents).hasSize(1);
  }

  @Test
  void whatIsInNoBlockIsLeftOver() {
    file(BLOCK + 5);
    List<CombinedFileRange> ranges =
        Arrays.asList(range(0, 0), range(BLOCK, 5), range(BLOCK + 5, 1), range(5000, 10));
    assertThat(read(ranges, new ArrayList<>()))
        .containsExactly(ranges.get(0), ranges.get(2), ranges.get(3));
  }

  @Test
  void anAllocatorThatThrowsIsAskedAgainByTheOrdinaryRead() {
    file(BLOCK);
    List<CombinedFileRange> ranges = Arrays.asList(range(0, 10));
    assertThat(
            new Submission(source, blocks)
                .read(
                    ranges,
                    size -> {
                      throw new IllegalStateException("no memory");
                    },
                    buffer -> {},
                    target -> {}))
        .extracting(Leftover::range)
        .isEqualTo(ranges);
  }

  @Test
  void aReleaseThatThrowsHoldsNoMemory() {
    file(3 * BLOCK);
    source.failing.add(0L);
    List<CombinedFileRange> ranges =
        Arrays.asList(range(0, 10), range(BLOCK, 10), range(2 * BLOCK, 10));
    assertThatThrownBy(
            () ->
                new Submission(source, blocks)
                    .read(
                        ranges,
                        ByteBuffer::allocate,
                        buffer -> {
                          throw new IllegalStateException("as told");
                        },
                        target -> {}))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("as told");
    assertThat(source.open).isZero();
    assertThat(source.held).isZero();
  }

  @Test
  void whoeverReadABlockIsToldOfAllOfItOnceAndNotOfWhatFailed() {
    file(2 * BLOCK);
    source.failing.add(0L);
    List<CombinedFileRange> ranges =
        Arrays.asList(
            range(0, 10), range(BLOCK, 100), range(BLOCK + 200, 100), range(BLOCK + 500, 1));
    assertThat(read(ranges, new ArrayList<>())).containsExactly(ranges.get(0));
    assertThat(source.told).containsExactly(BLOCK + ": 201");
  }

  @RepeatedTest(200)
  void deliveredOrLeftOverAndNothingElse(RepetitionInfo repetition) {
    Random random = new Random(repetition.getCurrentRepetition());
    file(1 + random.nextInt(8 * BLOCK));
    source.room = 1 + random.nextInt(4);
    source.mostPerRead = 1 + random.nextInt(1200);
    for (long at = 0; at < file.length; at += BLOCK) {
      if (random.nextInt(8) == 0) {
        (random.nextBoolean() ? source.unreadable : source.failing).add(at);
      }
    }
    List<CombinedFileRange> ranges = new ArrayList<>();
    for (int at = random.nextInt(300); at < file.length + 500; at += random.nextInt(300)) {
      int length = random.nextInt(random.nextInt(4) == 0 ? 2500 : 200);
      ranges.add(range(at, length));
      at += length;
    }
    List<RangeTarget> delivered = new ArrayList<>();
    List<CombinedFileRange> left = read(ranges, delivered);

    List<CombinedFileRange> expectedLeft = new ArrayList<>(ranges);
    expectedLeft.removeIf(each -> delivered.stream().anyMatch(target -> target.range() == each));
    assertThat(left).containsExactlyInAnyOrderElementsOf(expectedLeft);
    for (CombinedFileRange each : left) {
      assertThat(mayBeLeft(each)).as(each.toString()).isTrue();
    }
    for (RangeTarget target : delivered) {
      int from = (int) target.range().getOffset();
      assertThat(target.filled())
          .isEqualTo(ByteBuffer.wrap(file, from, target.range().getLength()));
    }
    assertThat(source.open).isZero();
    assertThat(source.held).isZero();
    assertThat(source.accidents).isEmpty();
    assertThat(source.bytes)
        .isEqualTo(delivered.stream().mapToInt(target -> target.range().getLength()).sum());
  }

  /** Whether a range is empty, beyond the end, or has a byte of a block that something befell. */
  private boolean mayBeLeft(FileRange range) {
    long end = range.getOffset() + range.getLength();
    boolean bad = range.getLength() == 0 || end > file.length;
    for (long at = range.getOffset(); at < end; at++) {
      long block = at - at % BLOCK;
      bad |= source.unreadable.contains(block) || source.failing.contains(block);
    }
    return bad;
  }

  private List<CombinedFileRange> read(
      List<CombinedFileRange> ranges, List<RangeTarget> delivered) {
    List<ByteBuffer> allocated = new ArrayList<>();
    List<ByteBuffer> released = new ArrayList<>();
    List<Leftover> left =
        new Submission(source, blocks)
            .read(
                ranges,
                size -> {
                  ByteBuffer buffer = ByteBuffer.allocate(size);
                  allocated.add(buffer);
                  return buffer;
                },
                released::add,
                target -> {
                  assertThat(source.open).as("reads that hold memory").isZero();
                  delivered.add(target);
                });
    assertThat(allocated).hasSize(delivered.size() + released.size());
    return left.stream().map(Leftover::range).collect(Collectors.toList());
  }
}
