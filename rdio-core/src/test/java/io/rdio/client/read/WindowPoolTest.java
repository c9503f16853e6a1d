// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.client.ReadGeometry;
import io.rdio.client.counters.ClientCounters;
import io.rdio.core.testing.Allocation;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** That memory is there for windows of each size, whatever it was used for before. */
@Timeout(180)
final class WindowPoolTest {
  private static final int KIB = 1 << 10;
  private static final int LARGE = ReadGeometry.LONG_WINDOW;
  private static final long MEMORY = 32L << 20;
  private static final int[] SIZES = {16 * KIB, 64 * KIB, 256 * KIB, LARGE};

  private final WindowPool pool = new WindowPool(MEMORY, LARGE, new ClientCounters());

  /** As many windows of one size as there are. */
  private List<ReadWindow> borrowAll(int size) {
    List<ReadWindow> all = new ArrayList<>();
    for (ReadWindow one = pool.tryBorrow(size, size); one != null; ) {
      assertThat(one.size()).isEqualTo(size);
      all.add(one);
      one = pool.tryBorrow(size, size);
    }
    assertThat(pool.allocatedBytes()).isBetween(pool.lentBytes(), MEMORY);
    return all;
  }

  private void releaseAll(List<ReadWindow> windows) {
    windows.forEach(ReadWindow::release);
    assertThat(pool.lentBytes()).isZero();
  }

  /** A twelfth is lost between windows at most, of whichever size. */
  private static int fewest(int size) {
    return (int) (MEMORY * 11 / 12 / WindowPool.bytes(size));
  }

  @ParameterizedTest
  @ValueSource(ints = {16 * KIB, 64 * KIB, 256 * KIB})
  void manySmallOnesOnceDoNotMakeAllSmallForEver(int size) {
    List<ReadWindow> small = borrowAll(size);
    assertThat(small).hasSizeGreaterThanOrEqualTo(fewest(size));
    releaseAll(small);

    List<ReadWindow> large = borrowAll(LARGE);
    assertThat(large).hasSizeGreaterThanOrEqualTo(fewest(LARGE));
    releaseAll(large);
  }

  @ParameterizedTest
  @ValueSource(ints = {16 * KIB, 64 * KIB, 256 * KIB})
  void manyLargeOnesOnceDoNotMakeSmallOnesFew(int size) {
    releaseAll(borrowAll(LARGE));
    List<ReadWindow> small = borrowAll(size);
    assertThat(small).hasSizeGreaterThanOrEqualTo(fewest(size));
    releaseAll(small);
  }

  @Test
  void memoryGoesFromSizeToSizeAgainAndAgain() {
    for (int turn = 0; turn < 20; turn++) {
      int size = SIZES[turn % SIZES.length];
      List<ReadWindow> all = borrowAll(size);
      assertThat(all).as("windows of %s", size).hasSizeGreaterThanOrEqualTo(fewest(size));
      releaseAll(all);
    }
  }

  /** What is lent stays where it is, and is as large a piece of memory as its size says. */
  @Test
  void oneThatIsLentKeepsItsOwnMemoryAndLittleMore() {
    List<ReadWindow> small = borrowAll(64 * KIB);
    ReadWindow kept = small.remove(small.size() / 2);
    Marks marks = new Marks();
    marks.put(kept);
    small.forEach(ReadWindow::release);

    List<ReadWindow> large = borrowAll(LARGE);
    assertThat(large).hasSizeGreaterThanOrEqualTo(fewest(LARGE) - 2);
    large.forEach(marks::put);
    marks.assertAreThere(kept);
    large.forEach(marks::assertAreThere);
    kept.release();
    releaseAll(large);
  }

  @Test
  void aReaderIsRefusedOnlyWhereNoWindowIsLeft() {
    List<ReadWindow> large = borrowAll(LARGE);
    List<ReadWindow> rest = new ArrayList<>();
    for (ReadWindow one = pool.tryBorrow(LARGE, 1); one != null; one = pool.tryBorrow(LARGE, 1)) {
      rest.add(one);
    }
    assertThat(MEMORY - pool.lentBytes()).isLessThan(2L * WindowPool.bytes(16 * KIB));
    large.remove(0).release();
    assertThat(pool.tryBorrow(16 * KIB, 1)).isNotNull();
    assertThat(rest).allMatch(one -> one.size() < LARGE);
  }

  /** Each window that is lent is marked from end to end, and must be so when it comes back. */
  private static final class Marks {
    private static final int EVERY = 1024;

    private final AtomicInteger last = new AtomicInteger();
    private final Map<ReadWindow, Integer> marks = new ConcurrentHashMap<>();

    void put(ReadWindow window) {
      int mark = last.incrementAndGet();
      marks.put(window, mark);
      WindowGroup.Place place = window.place();
      for (ByteBuffer memory : List.of(place.data(), place.crcs())) {
        for (int at = 0; at < memory.capacity(); at += EVERY) {
          memory.putInt(at, mark);
        }
        memory.putInt(memory.capacity() - Integer.BYTES, mark);
      }
    }

    void assertAreThere(ReadWindow window) {
      assertThat(areThere(window)).as("nobody else has written to it").isTrue();
    }

    boolean areThere(ReadWindow window) {
      int mark = marks.get(window);
      WindowGroup.Place place = window.place();
      for (ByteBuffer memory : List.of(place.data(), place.crcs())) {
        for (int at = 0; at < memory.capacity(); at += EVERY) {
          if (memory.getInt(at) != mark) {
            return false;
          }
        }
        if (memory.getInt(memory.capacity() - Integer.BYTES) != mark) {
          return false;
        }
      }
      return true;
    }
  }

  /** Any order of loans of any sizes: no byte is in two windows, and the bound holds. */
  @Test
  void noByteIsLentTwice() {
    Random random = new Random(5);
    Marks marks = new Marks();
    List<ReadWindow> lent = new ArrayList<>();
    for (int turn = 0; turn < 20_000; turn++) {
      // Long tides of one size, so that all memory is wanted for it.
      int size = SIZES[turn / 500 * 7 % SIZES.length];
      ReadWindow one = random.nextInt(100) < 60 ? pool.tryBorrow(size, 1) : null;
      if (one != null) {
        marks.put(one);
        lent.add(one);
      } else if (!lent.isEmpty()) {
        ReadWindow back = lent.remove(random.nextInt(lent.size()));
        marks.assertAreThere(back);
        back.release();
      }
      assertThat(pool.allocatedBytes()).isBetween(pool.lentBytes(), MEMORY);
    }
    lent.forEach(marks::assertAreThere);
    releaseAll(lent);
  }

  /** The same by several threads, each with its own tide. */
  @Test
  void noByteIsLentToTwoThreads() throws Exception {
    int threads = 4;
    Marks marks = new Marks();
    ExecutorService readers = Executors.newFixedThreadPool(threads);
    List<Future<Boolean>> all = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      int tide = i;
      all.add(readers.submit(() -> borrowAndReturn(marks, tide)));
    }
    for (Future<Boolean> one : all) {
      assertThat(one.get(120, TimeUnit.SECONDS)).isTrue();
    }
    readers.shutdown();
    assertThat(pool.lentBytes()).isZero();
    List<ReadWindow> large = borrowAll(LARGE);
    assertThat(large).as("none is lost").hasSizeGreaterThanOrEqualTo(fewest(LARGE));
    releaseAll(large);
  }

  /** Whether all went well. */
  private boolean borrowAndReturn(Marks marks, int tide) {
    Random random = new Random(tide);
    Deque<ReadWindow> lent = new ArrayDeque<>();
    boolean good = true;
    for (int turn = 0; good && turn < 20_000; turn++) {
      int size = SIZES[(turn / 300 + tide) % SIZES.length];
      ReadWindow one = random.nextInt(100) < 60 ? pool.tryBorrow(size, 1) : null;
      if (one != null) {
        marks.put(one);
        lent.add(one);
      }
      if (!lent.isEmpty() && (one == null || lent.size() > 40)) {
        ReadWindow back = lent.remove();
        good = marks.areThere(back) && pool.allocatedBytes() <= MEMORY;
        back.release();
      }
    }
    lent.forEach(ReadWindow::release);
    return good;
  }

  @Test
  void warmLoansAllocateNothing() {
    releaseAll(borrowAll(64 * KIB));
    assertThat(lendAndTakeBack()).isTrue();
    Allocation.assertBelow(10_000, this::lendAndTakeBack);
  }

  /** Whether it was lent what it wanted. */
  private boolean lendAndTakeBack() {
    boolean good = true;
    for (int i = 0; i < 10_000; i++) {
      ReadWindow small = pool.tryBorrow(64 * KIB, 1);
      ReadWindow large = pool.tryBorrow(LARGE, 1);
      if (small == null || large == null) {
        return false;
      }
      good &= small.size() == 64 * KIB && large.size() == LARGE;
      small.release();
      large.release();
    }
    return good;
  }
}
