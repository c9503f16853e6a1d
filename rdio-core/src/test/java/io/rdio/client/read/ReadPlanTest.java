// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.client.ReadGeometry;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What reads do, case by case, without a device. */
class ReadPlanTest {
  private static final int KIB = 1 << 10;
  private static final int MIB = 1 << 20;
  private static final int AHEAD = 2 * MIB;
  private static final long BLOCK = 128L * MIB;
  private static final int CHUNK = 512;
  private static final byte[] ARRAY = {};
  private static final ByteBuffer DIRECT = ByteBuffer.allocateDirect(0);
  private static final boolean HERE = true;

  private final ReadPlan plan = new ReadPlan();

  ReadPlanTest() {
    plan.by(ReadGeometry.MAX_WINDOWS, MIB, false);
  }

  private static Piece piece(long offset, long count) {
    return new Piece().of(offset, ARRAY, 0, (int) count);
  }

  /** A run in order, with so much memory to read ahead. */
  private void run(long offset, int count, long granted) {
    plan.begin(piece(offset, count), BLOCK, offset, false);
    assertThat(plan.isSequential()).isTrue();
    plan.grant(granted);
  }

  private void fetch(long from, long to) {
    plan.fetch(from - from % CHUNK, (to + CHUNK - 1) / CHUNK * CHUNK);
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          # what                                |  from |  count | stops at | expected |  here | run
          first, of a block from its start      |     0 |   4096 |   100000 |       -1 | false | true
          first, in the middle                  | 50000 |   4096 |   100000 |       -1 | false | true
          first, all that is wanted             | 50000 |   4096 |    54096 |       -1 | false | false
          first, what another reader has begun  |     0 | 100000 |   100000 |       -1 | true  | true
          goes on from the last one             |  4096 |   4096 |   100000 |     4096 | false | true
          goes on up to the end                 | 95904 |   4096 |   100000 |    95904 | false | true
          skips one byte                        |  4097 |   4096 |   100000 |     4096 | false | true
          skips almost what a run begins with   | 65536 |   4096 |   100000 |        1 | false | true
          skips what a run begins with          | 65536 |   4096 |   100000 |        0 | false | false
          skips far, within what is here        | 90000 |   4096 |   100000 |        0 | true  | true
          goes back by one byte                 |  4095 |   4096 |   100000 |     4096 | false | false
          goes back, within what is here        |  4095 |   4096 |   100000 |     4096 | true  | true
          """)
  void runsAreToldFromPositionalReads(
      String what, long from, int count, long stopsAt, long expected, boolean here, boolean run) {
    plan.begin(piece(from, count), stopsAt, expected, here);
    assertThat(plan.isSequential()).isEqualTo(run);
    assertThat(plan.fillsCache()).isEqualTo(!run);
    assertThat(plan.keepsCrcs()).isEqualTo(!run);
    assertThat(plan.keepsAhead()).as("nothing is granted yet").isFalse();
  }

  @Test
  void blockDataCacheIsAskedByThoseWithNothingReadAhead() {
    assertThat(ReadPlan.asksCache(false)).isTrue();
    assertThat(ReadPlan.asksCache(true)).isFalse();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          # count |    held | configured | wanted
          1       |       0 |    2097152 |   65536
          16384   |       0 |    2097152 |   65536
          16385   |       0 |    2097152 |   65540
          4096    |   65536 |    2097152 |  262144
          4096    |  262144 |    2097152 | 1048576
          4096    | 1048576 |    2097152 | 2097152
          4096    | 2097152 |   16777216 | 8388608
          4096    | 4194304 |   33554432 | 16777216
          4096    |       0 |      32768 |   32768
          4096    |  262144 |          0 |       0
          """)
  void readAheadGrowsAsARunGoesOn(int count, long held, int configured, long wanted) {
    plan.begin(piece(0, count), BLOCK, 0, false);
    assertThat(plan.wanted(held, configured)).isEqualTo(wanted);
  }

  @Test
  void readsOneAfterTheOtherHaveOneLargeWindowAhead() {
    plan.by(1, MIB, false);
    plan.begin(piece(0, 4096), BLOCK, 0, false);
    assertThat(plan.wanted(MIB, AHEAD)).isEqualTo(MIB);
    plan.grant(MIB);
    fetch(0, 4096);
    assertThat(plan.size()).isEqualTo(MIB);
    assertThat(plan.wantsWindow(0, 0)).isTrue();
    assertThat(plan.wantsWindow(1, MIB)).isFalse();
    assertThat(plan.inPlaceWindows(ReadGeometry.WINDOW)).isEqualTo(1);
  }

  @Test
  void runFetchesWhatIsBehindItInSmallWindows() {
    run(100, 4096, MIB);
    fetch(100, 4196);
    assertThat(plan.stop()).isEqualTo(BLOCK);
    assertThat(plan.size()).isEqualTo(ReadGeometry.WINDOW);
    assertThat(plan.wantsWindow(3, 768 * KIB)).isTrue();
    assertThat(plan.wantsWindow(4, MIB)).as("no more than it is granted").isFalse();
    assertThat(plan.wantsWindow(1, BLOCK)).as("nothing is behind the end").isFalse();
    assertThat(plan.wantsWindow(0, BLOCK)).as("what was asked for needs one").isTrue();
  }

  @Test
  void longRunFetchesLargeWindowsAsFarAsThePoolHasThem() {
    run(100, 4096, 4L * MIB);
    fetch(100, 4196);
    assertThat(plan.size()).isEqualTo(MIB);
    assertThat(plan.wantsWindow(3, 3L * MIB)).isTrue();
    assertThat(plan.wantsWindow(4, 4L * MIB)).isFalse();

    plan.by(ReadGeometry.MAX_WINDOWS, ReadGeometry.WINDOW, false);
    run(100, 4096, 4L * MIB);
    fetch(100, 4196);
    assertThat(plan.size()).isEqualTo(ReadGeometry.WINDOW);
  }

  @Test
  void anotherWayMayBringWhatNobodyWaitsForOfALongRun() {
    run(0, MIB, ReadGeometry.LONG_RUN);
    fetch(0, MIB);
    assertThat(plan.mayShare(MIB)).isTrue();
    assertThat(plan.mayShare(MIB - CHUNK)).as("wanted now").isFalse();
    plan.fetchNoMore();
    assertThat(plan.mayShare(MIB)).as("the caller's memory is read to").isFalse();
    run(0, MIB, ReadGeometry.LONG_RUN - 1);
    fetch(0, MIB);
    assertThat(plan.mayShare(MIB)).as("a short run").isFalse();
  }

  @Test
  void beginningRunFetchesOneSmallWindow() {
    run(0, 4096, ReadGeometry.FIRST_AHEAD);
    fetch(0, 4096);
    assertThat(plan.size()).isEqualTo(ReadGeometry.FIRST_AHEAD);
    assertThat(plan.wantsWindow(1, ReadGeometry.FIRST_AHEAD)).isFalse();
  }

  @Test
  void positionalReadFetchesItsChunksOnly() {
    plan.begin(piece(1000, 100), 1100, ReadPlan.NOWHERE, false);
    fetch(1000, 1100);
    assertThat(plan.stop()).isEqualTo(1100);
    assertThat(plan.size()).isEqualTo(2 * CHUNK);
    assertThat(plan.wantsWindow(1, 1536)).isFalse();
    assertThat(plan.keepsAhead()).isFalse();
  }

  @Test
  void largePositionalReadFetchesAsMuchAtATimeAsItMay() {
    plan.begin(piece(0, 16L * MIB), 16L * MIB, ReadPlan.NOWHERE, false);
    fetch(0, 16L * MIB);
    assertThat(plan.size()).isEqualTo(MIB / 2);
    assertThat(plan.wantsWindow(15, 15L * MIB / 2)).isTrue();
    assertThat(plan.wantsWindow(16, 8L * MIB)).isFalse();
  }

  /** But not by windows smaller than those that are worth a request. */
  @ParameterizedTest
  @CsvSource({"1048576, 524288", "1048577, 524288", "700000, 352256", "524288, 262144"})
  void positionalReadComesByHalves(long bytes, int size) {
    plan.begin(piece(0, bytes), bytes, ReadPlan.NOWHERE, false);
    fetch(0, bytes);
    assertThat(plan.size()).isEqualTo(size);
  }

  @ParameterizedTest
  @CsvSource({"300000, 262144", "100000, 100352"})
  void smallerOnesComeByWindows(long bytes, int size) {
    plan.begin(piece(0, bytes), bytes, ReadPlan.NOWHERE, false);
    fetch(0, bytes);
    assertThat(plan.size()).isEqualTo(size);
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          # what                       |   bytes |  memory | alone |    size
          short                        |   65536 | 8388608 | false |   65536
          one window                   |  262144 | 8388608 | false |  262144
          little more than one         |  400000 | 8388608 | false |  262144
          two                          |  524288 | 8388608 | false |  524288
          two, alone                   |  524288 | 8388608 | true  |  262144
          one long window              | 1048576 | 8388608 | false | 1048576
          one long window, alone       | 1048576 | 8388608 | true  |  524288
          many                         | 8388608 | 8388608 | false | 1048576
          many, alone                  | 8388608 | 8388608 | true  | 1048576
          many, as a run may just have | 8388608 | 4194304 | false | 1048576
          many, memory scarce          | 8388608 | 4194303 | false |  262144
          """)
  void longRangesComeByLongWindows(String what, long bytes, long memory, boolean alone, int size) {
    plan.fetchRange(MIB, MIB + bytes, memory, alone);
    assertThat(plan.size()).isEqualTo(size);
    assertThat(plan.stop()).isEqualTo(MIB + bytes);
  }

  @Test
  void rangesHaveNoMoreUnderWayByLongWindowsThanARunMayHave() {
    plan.fetchRange(0, 8L * MIB, 8L * MIB, false);
    assertThat(plan.hasRoom(0, 0)).isTrue();
    assertThat(plan.hasRoom(7, 7L * MIB)).isTrue();
    assertThat(plan.hasRoom(8, 8L * MIB)).isFalse();
    assertThat(plan.hasRoom(16, 4L * MIB)).isFalse();
    plan.fetchRange(0, 64L * KIB, 0, false);
    assertThat(plan.hasRoom(15, 16L * MIB)).as("short ones take no more than they did").isTrue();
    assertThat(plan.hasRoom(16, MIB)).isFalse();
    plan.fetchRange(0, 8L * MIB, 512L * KIB, false);
    assertThat(plan.hasRoom(15, 4L * MIB)).as("small windows do not either").isTrue();
  }

  @Test
  void longRunBeginsTheNextBlockByLargeWindows() {
    plan.fetchFirst(ReadGeometry.LONG_RUN, BLOCK);
    assertThat(plan.size()).isEqualTo(ReadGeometry.LONG_WINDOW);
    assertThat(plan.stop()).isEqualTo(ReadGeometry.LONG_RUN);
    plan.fetchFirst(ReadGeometry.NEXT_BLOCK, 1000);
    assertThat(plan.size()).isEqualTo(ReadGeometry.WINDOW);
    assertThat(plan.stop()).isEqualTo(1000);
  }

  @Test
  void queueThatIsLostMeanwhileLeavesOneWindow() {
    run(0, 4096, MIB);
    fetch(0, 4096);
    plan.by(1, MIB, false);
    assertThat(plan.wantsWindow(0, 0)).isTrue();
    assertThat(plan.wantsWindow(1, ReadGeometry.WINDOW)).isFalse();
  }

  @Test
  void chunksOfTheDataCacheAreCutAtTheBlocksEndOnly() {
    long blockEnd = 100_000;
    plan.begin(piece(70_000, 4096), 74_096, ReadPlan.NOWHERE, false);
    plan.fetchOnly(64 * KIB, 128 * KIB, blockEnd);
    assertThat(plan.stop()).isEqualTo(blockEnd);
    assertThat(plan.size()).isEqualTo(64 * KIB);
    assertThat(plan.wantsWindow(1, blockEnd)).isFalse();
  }

  @Test
  void runWithoutMemoryReadsWhatItIsAskedForAndKeepsNothing() {
    run(0, 4096, ReadGeometry.SMALLEST_WINDOW - 1);
    fetch(0, 4096);
    assertThat(plan.stop()).isEqualTo(4096);
    assertThat(plan.size()).isEqualTo(4096);
    assertThat(plan.keepsAhead()).isFalse();
    assertThat(plan.lead()).isZero();
    assertThat(plan.fillsCache()).as("it is a run all the same").isFalse();

    run(0, 4096, ReadGeometry.SMALLEST_WINDOW);
    fetch(0, 4096);
    assertThat(plan.stop()).isEqualTo(BLOCK);
    assertThat(plan.size()).isEqualTo(ReadGeometry.SMALLEST_WINDOW);
    assertThat(plan.keepsAhead()).isTrue();
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          # what                         | direct | gives up |  granted |    asks | in place
          positional                     | true   | false    |        0 |    4096 | true
          positional, to an array        | false  | false    |        0 |    4096 | false
          queue that gives up            | true   | true     |        0 |    4096 | false
          run, less than half            | true   | false    |  1048576 |  524287 | false
          run, half                      | true   | false    |  1048576 |  524288 | true
          run, half, to an array         | false  | false    |  1048576 |  524288 | false
          run, half, queue that gives up | true   | true     |  1048576 |  524288 | false
          long run, less than half       | true   | false    | 16777216 | 8388607 | false
          long run, half                 | true   | false    | 16777216 | 8388608 | true
          run, memory for little         | true   | false    |    65536 |   32768 | true
          run, memory scarce             | true   | false    |    16383 |    4096 | true
          """)
  void inPlaceWhereItPaysAndIsSafe(
      String what, boolean direct, boolean givesUp, long granted, int asks, boolean inPlace) {
    plan.by(ReadGeometry.MAX_WINDOWS, MIB, givesUp);
    Piece piece = direct ? new Piece().of(0, DIRECT, 0, asks) : piece(0, asks);
    plan.begin(piece, BLOCK, 0, false);
    plan.grant(granted);
    assertThat(plan.mayBeInPlace()).isEqualTo(inPlace);
  }

  @Test
  void nothingMoreIsBegunBehindWhatIsUnderWay() {
    run(0, 4096, MIB);
    fetch(0, 4096);
    plan.fetchNoMore();
    assertThat(plan.wantsWindow(1, ReadGeometry.WINDOW)).isFalse();
    assertThat(plan.wantsWindow(0, 0)).as("what was asked for needs one").isTrue();
    fetch(0, 4096);
    assertThat(plan.wantsWindow(1, ReadGeometry.WINDOW)).as("of this read only").isTrue();
  }

  @ParameterizedTest
  @CsvSource({
    // rest, unit, capacity, bytes
    "1048576, 512, 262144, 262144",
    "1000, 512, 262144, 512",
    "511, 512, 262144, 0",
    "8192, 4096, 6000, 4096",
    "1000000, 1048576, 1048576, 0",
  })
  void inPlaceTakesWholeChunksAndBlocks(int rest, int unit, int capacity, int bytes) {
    assertThat(ReadPlan.inPlaceBytes(rest, unit, capacity)).isEqualTo(bytes);
  }

  @Test
  void windowOfAReadInPlaceIsThatOfARunAndNoLargerThanTheRead() {
    assertThat(plan.inPlaceWindow(4096)).isEqualTo(4096);
    assertThat(plan.inPlaceWindow(8 * MIB)).isEqualTo(ReadGeometry.WINDOW);
    run(0, 8 * MIB, ReadGeometry.LONG_RUN);
    assertThat(plan.inPlaceWindow(8 * MIB)).isEqualTo(ReadGeometry.LONG_WINDOW);
    assertThat(plan.inPlaceWindow(4096)).isEqualTo(4096);
  }

  @ParameterizedTest
  @CsvSource({
    // granted, size, windows
    "4194304, 1048576, 4",
    "16777216, 1048576, 16",
    "33554432, 1048576, 16",
    "1048576, 262144, 4",
    "1048576, 300000, 3",
    "65536, 262144, 1",
    "0, 262144, 16",
  })
  void readInPlaceHasNoMoreUnderWayThanTheRunMayHave(int granted, int size, int windows) {
    run(0, 8 * MIB, granted);
    assertThat(plan.inPlaceWindows(size)).isEqualTo(windows);
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          # what                            |   left | chunk | capacity |  bytes
          whole windows                     | 900000 |   512 |   262144 | 262144
          only whole chunks                 | 900000 | 10000 |   260000 | 260000
          last one, short                   |    777 |   512 |   262144 |    777
          last one, of a whole window       | 262144 |   512 |   262144 | 262144
          last one, chunks do not divide it | 262144 | 10000 |   270000 | 262144
          chunk larger than the window      | 900000 | 500000 | 1000000 | 500000
          memory for less                   | 900000 |   512 |    16384 |  16384
          """)
  void windowsHoldWholeChunksButForTheBlocksLast(
      String what, long left, int chunk, int capacity, int bytes) {
    run(0, 4096, MIB);
    fetch(0, 4096);
    assertThat(plan.windowBytes(left, chunk, capacity)).isEqualTo(bytes);
  }

  @Test
  void windowsAreKeptUntilTheReaderStops() {
    run(BLOCK - 8192, 4096, MIB);
    assertThat(plan.keepsAhead()).isTrue();
    run(BLOCK - 4096, 4096, MIB);
    assertThat(plan.keepsAhead()).isFalse();
  }

  @Test
  void longRunGoesOnInTheNextBlock() {
    run(0, 4096, ReadGeometry.NEXT_BLOCK - 1);
    assertThat(plan.lead()).isZero();
    run(0, 4096, ReadGeometry.NEXT_BLOCK);
    assertThat(plan.lead()).isEqualTo(ReadGeometry.NEXT_BLOCK);
    run(0, 4096, ReadGeometry.LONG_RUN);
    assertThat(plan.lead()).isEqualTo(ReadGeometry.LONG_RUN);
  }

  @Test
  void nextReadStartsAfresh() {
    run(0, 4096, MIB);
    plan.begin(piece(50 * MIB, 4096), BLOCK, 4096, !HERE);
    assertThat(plan.isSequential()).isFalse();
    assertThat(plan.keepsAhead()).isFalse();
    assertThat(plan.lead()).isZero();
    fetch(50 * MIB, 50 * MIB + 4096);
    assertThat(plan.size()).isEqualTo(4096);
  }
}
