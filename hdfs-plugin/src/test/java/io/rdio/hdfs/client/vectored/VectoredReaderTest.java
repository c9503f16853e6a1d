// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.vectored;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.core.block.RangeReads;
import io.rdio.core.thread.DaemonThreads;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSInputStream;
import org.apache.hadoop.fs.FileRange;
import org.apache.hadoop.fs.impl.CombinedFileRange;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What a submission has left over is read by several threads; here a DataNode has all of it. */
class VectoredReaderTest {
  private static final int LENGTH = 100;
  private static final int RANGES = 4;
  private static final Duration BOUND = Duration.ofSeconds(60);

  private final byte[] file = new byte[RANGES * LENGTH];
  private final List<FileRange> ranges = new ArrayList<>();
  private final List<Leftover> left = new ArrayList<>();
  private final AtomicInteger closed = new AtomicInteger();

  VectoredReaderTest() {
    new Random(1).nextBytes(file);
    ApartRanges apart = apart(new Chooser());
    for (int i = 0; i < RANGES; i++) {
      FileRange range = FileRange.createFileRange((long) i * LENGTH, LENGTH);
      range.setData(new CompletableFuture<>());
      ranges.add(range);
      left.add(leftover(range, apart));
    }
  }

  private ApartRanges apart(Chooser chooser) {
    ExtendedBlock block = new ExtendedBlock("pool", 1, file.length, 1);
    return new ApartRanges(
        new DataNode(),
        new LocatedBlock(block, new DatanodeInfo[0], null, null, 0, false, null),
        chooser,
        new Laps());
  }

  private static Leftover leftover(FileRange range, ApartRanges of) {
    of.add(LENGTH);
    return new Leftover(
        new CombinedFileRange(range.getOffset(), range.getOffset() + LENGTH, range), of);
  }

  private final class DataNode implements RangeSource {
    @Override
    public boolean mayRead() {
      return true;
    }

    @Override
    public @Nullable RangeReads open(LocatedBlock block, long end, long wanted) {
      return null;
    }

    @Override
    public void readByDataNode(LocatedBlock block, long offset, ByteBuffer target, int count) {
      target.duplicate().put(file, (int) offset, count);
    }

    @Override
    public void read(int bytes) {}

    @Override
    public void together(int count) {}

    @Override
    public void failed(Throwable accident) {
      throw new AssertionError(accident);
    }
  }

  /** Who chose the DataNode, and is to be told once that all is over. */
  private class Chooser implements RangeReads {
    @Override
    public int begin(long offset, ByteBuffer target, int at, int count) {
      throw new AssertionError("the DataNode is to read it");
    }

    @Override
    public void submit() {}

    @Override
    public int underWay() {
      return 0;
    }

    @Override
    public int complete() {
      throw new AssertionError("nothing was begun here");
    }

    @Override
    public void close() {
      closed.incrementAndGet();
    }
  }

  /** Fails when it is told. */
  private final class BadChooser extends Chooser {
    @Override
    public void close() {
      super.close();
      throw new IllegalStateException("told to fail");
    }
  }

  /** Of which nobody reads. */
  private static FSDataInputStream stream() {
    return new FSDataInputStream(
        new FSInputStream() {
          @Override
          public void seek(long position) {}

          @Override
          public long getPos() {
            return 0;
          }

          @Override
          public boolean seekToNewSource(long position) {
            return false;
          }

          @Override
          public int read() {
            throw new AssertionError("the DataNode has it");
          }

          @Override
          public int read(byte[] bytes, int offset, int length) {
            return read();
          }
        });
  }

  private void readEach(VectoredReader reader) {
    reader.readEach(stream(), left, ByteBuffer::allocate, buffer -> {});
  }

  private void assertHasItsBytes(FileRange range) {
    assertThat(range.getData())
        .succeedsWithin(BOUND)
        .isEqualTo(ByteBuffer.wrap(file, (int) range.getOffset(), LENGTH));
  }

  @Test
  void eachRangeHasItsBytes() {
    try (VectoredReader reader = new VectoredReader(2, new DaemonThreads("reader"))) {
      readEach(reader);
      ranges.forEach(this::assertHasItsBytes);
      assertThat(closed).hasValue(1);
    }
  }

  @Test
  void whereNoThreadIsToBeHadNobodyWaitsForEver() {
    OutOfMemoryError none = new OutOfMemoryError("unable to create native thread, as told");
    AtomicInteger asked = new AtomicInteger();
    ThreadFactory daemons = new DaemonThreads("reader");
    ThreadFactory one =
        work -> {
          if (asked.getAndIncrement() > 0) {
            throw none;
          }
          return daemons.newThread(work);
        };
    try (VectoredReader reader = new VectoredReader(RANGES, one)) {
      assertThatThrownBy(() -> readEach(reader)).isSameAs(none);
      assertHasItsBytes(ranges.get(0));
      for (FileRange range : ranges.subList(1, RANGES)) {
        assertThat(range.getData())
            .failsWithin(BOUND)
            .withThrowableOfType(ExecutionException.class)
            .havingCause()
            .isSameAs(none);
      }
      assertThat(closed).as("all of them are over").hasValue(1);
    }
  }

  @Test
  void norWhereThoseFailWhoAreToldOfIt() {
    left.clear();
    ranges.forEach(range -> left.add(leftover(range, apart(new BadChooser()))));
    OutOfMemoryError none = new OutOfMemoryError("unable to create native thread, as told");
    ThreadFactory noThreads =
        work -> {
          throw none;
        };
    try (VectoredReader reader = new VectoredReader(RANGES, noThreads)) {
      assertThatThrownBy(() -> readEach(reader)).isSameAs(none);
      for (FileRange range : ranges) {
        assertThat(range.getData())
            .failsWithin(BOUND)
            .withThrowableOfType(ExecutionException.class)
            .havingCause()
            .isSameAs(none);
      }
      assertThat(closed).as("each of them was told").hasValue(RANGES);
      assertThat(none.getSuppressed()).hasSize(RANGES);
    }
  }
}
