// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class StreamsTest {
  private static final int READ = 1024;
  private static final int PIECE = 384;
  private static final List<String> FILES = List.of("/0", "/1", "/2", "/3");

  /** Files of so many pieces, each shorter than what is asked for. */
  private static final class InPieces implements ReadWay {
    final Queue<String> opened = new ConcurrentLinkedQueue<>();
    final AtomicInteger closed = new AtomicInteger();
    private final int pieces;

    InPieces(int pieces) {
      this.pieces = pieces;
    }

    @Override
    public Stream stream(String file, int readBytes) {
      assertThat(readBytes).isEqualTo(READ);
      opened.add(file);
      return new Stream() {
        private int given;

        @Override
        public @Nullable ByteBuffer next() {
          given++;
          return given <= pieces ? ByteBuffer.allocate(PIECE) : null;
        }

        @Override
        public void close() {
          closed.incrementAndGet();
        }
      };
    }

    @Override
    public RandomFile open(String file) {
      throw new AssertionError("not by position");
    }

    @Override
    public ByteBuffer buffer(int bytes) {
      return ByteBuffer.allocate(bytes);
    }

    @Override
    public long takeShortCircuitBytes() {
      return 0;
    }

    @Override
    public void close() {}
  }

  @Test
  void eachThreadBeginsWithAFileOfItsOwn() throws Exception {
    InPieces way = new InPieces(8);
    Loads.Outcome outcome = new Streams(way, Task.stream(FILES, 4, READ, 0)).run();
    assertThat(way.opened).containsExactlyInAnyOrderElementsOf(FILES);
    assertThat(way.closed).hasValue(4);
    // No time at all: a piece of each.
    assertThat(outcome.bytes()).isEqualTo(4 * PIECE);
    assertThat(outcome.reads()).isZero();
  }

  @Test
  void oneThreadGoesThroughAllFilesAgainAndAgain() throws Exception {
    InPieces way = new InPieces(2);
    Loads.Outcome outcome = new Streams(way, Task.stream(FILES, 1, READ, 0.2)).run();
    assertThat(way.opened.stream().limit(6)).containsExactly("/0", "/1", "/2", "/3", "/0", "/1");
    assertThat(way.closed).hasValue(way.opened.size());
    // A read is as much as was to be asked for, across pieces and files.
    assertThat(outcome.reads()).isEqualTo(outcome.bytes() / READ).isPositive();
    assertThat(outcome.latencies().getTotalCount()).isEqualTo(outcome.reads());
  }

  @Test
  void twoThreadsBeginFarFromEachOther() throws Exception {
    InPieces way = new InPieces(1);
    new Streams(way, Task.stream(FILES, 2, READ, 0)).run();
    assertThat(way.opened).containsExactlyInAnyOrder("/0", "/2");
  }
}
