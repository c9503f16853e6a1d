// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import static io.rdio.core.testing.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.client.counters.ClientCounters;
import io.rdio.client.route.Together;
import io.rdio.core.testing.ManualClock;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Ranges that a second way brings, from when they are taken on until their memory is back. */
final class SharedRunTest {
  private static final int WINDOW = 1 << 20;
  private static final int PART = 256 << 10;
  private static final int CHUNK = 512;
  private static final long BLOCK = 64L * WINDOW;
  private static final WindowPool WINDOWS =
      new WindowPool(256L << 20, WINDOW, new ClientCounters());

  private final ManualClock clock = new ManualClock();
  private final Together together = new Together();
  private final Way way = new Way();
  private final Queue<Runnable> begun = new ArrayDeque<>();
  private final ByteBuffer target = ByteBuffer.allocate(WINDOW);

  /** Each byte is its offset's lowest one; hangs behind so many parts, until it is interrupted. */
  private static final class Way implements SecondWay {
    final AtomicInteger open = new AtomicInteger();
    final AtomicInteger opened = new AtomicInteger();
    final CountDownLatch hangs = new CountDownLatch(1);
    private final CountDownLatch never = new CountDownLatch(1);
    volatile int partsBeforeItHangs = Integer.MAX_VALUE;
    volatile @Nullable RuntimeException fault;
    volatile @Nullable IOException failure;

    @Override
    public Range open(long start, long end) {
      open.incrementAndGet();
      opened.incrementAndGet();
      return new Range() {
        private final AtomicBoolean closed = new AtomicBoolean();

        @Override
        public void read(long offset, ByteBuffer to) throws IOException {
          if (fault != null) {
            throw fault;
          }
          if (failure != null) {
            throw failure;
          }
          if (offset - start >= (long) partsBeforeItHangs * PART) {
            hang();
          }
          for (long at = offset; to.hasRemaining(); at++) {
            to.put((byte) at);
          }
        }

        @Override
        public void close() {
          if (closed.compareAndSet(false, true)) {
            open.decrementAndGet();
          }
        }
      };
    }

    private void hang() throws IOException {
      hangs.countDown();
      try {
        never.await();
      } catch (InterruptedException e) {
        throw (IOException) new InterruptedIOException("as a socket says").initCause(e);
      }
    }
  }

  @BeforeEach
  void goBothWays() {
    for (int i = 0; i < 16; i++) {
      together.unit(1_000_000, false);
    }
    assertThat(together.isOn()).isTrue();
  }

  @AfterEach
  void holdsNothing() {
    Thread.interrupted();
    await()
        .untilAsserted(
            () -> {
              assertThat(WINDOWS.lentBytes()).isZero();
              assertThat(way.open.get()).isZero();
            });
  }

  private SharedRun run(Executor threads) {
    return new SharedRun(WINDOWS, clock, way, threads, together);
  }

  /** A run whose second way is done as soon as it has begun. */
  private SharedRun runAtOnce() {
    return run(Runnable::run);
  }

  private SharedRun runOnAThread() {
    return run(
        work -> {
          Thread thread = new Thread(work);
          thread.setDaemon(true);
          thread.start();
        });
  }

  /** Where the next window begins behind one that ends at two windows; the reader is at one. */
  private long takeOn(SharedRun run) {
    assertThat(run.past(0, WINDOW, BLOCK, CHUNK)).as("the pace is not known").isEqualTo(WINDOW);
    clock.advance(Duration.ofMillis(1));
    return run.past(WINDOW, 2L * WINDOW, BLOCK, CHUNK);
  }

  private void assertRead(SharedRun run, long offset, int wanted, int expected) {
    target.clear().limit(wanted);
    assertThat(run.read(offset, target, 0)).isEqualTo(expected);
    int wrong = 0;
    for (int i = 0; i < expected; i++) {
      wrong += target.get(i) == (byte) (offset + i) ? 0 : 1;
    }
    assertThat(wrong).isZero();
  }

  @Test
  void takesOnWhatIsBehindTheDevicesWindowsAndHandsItOut() {
    try (SharedRun run = runAtOnce()) {
      assertThat(takeOn(run)).isEqualTo(3L * WINDOW);
      assertThat(run.hasRanges()).isTrue();
      assertThat(run.startBehind(WINDOW)).isEqualTo(2L * WINDOW);
      assertThat(run.endOf(WINDOW)).isEqualTo(SharedRun.NOWHERE);
      assertThat(run.endOf(2L * WINDOW)).isEqualTo(3L * WINDOW);
      assertThat(run.past(WINDOW, 2L * WINDOW, 0, CHUNK)).as("again").isEqualTo(3L * WINDOW);
      assertThat(WINDOWS.lentBytes()).isPositive();

      assertRead(run, 2L * WINDOW, 1000, 1000);
      assertRead(run, 2L * WINDOW + 1000, WINDOW, WINDOW - 1000);
      assertThat(run.hasRanges()).isFalse();
      assertThat(WINDOWS.lentBytes()).isZero();
      assertThat(run.startBehind(0)).isGreaterThan(BLOCK);
      assertRead(run, 2L * WINDOW, 1000, 0);
    }
  }

  @Test
  void rangesThatTheReaderHasPassedAreLeft() {
    try (SharedRun run = runAtOnce()) {
      takeOn(run);
      assertThat(run.endOf(3L * WINDOW)).isEqualTo(SharedRun.NOWHERE);
      assertThat(WINDOWS.lentBytes()).isZero();
    }
  }

  @Test
  void takesOnNothingWhereOneWayIsBetter() {
    together.failed();
    try (SharedRun run = runAtOnce()) {
      assertThat(takeOn(run)).isEqualTo(2L * WINDOW);
      assertThat(run.hasRanges()).isFalse();
    }
  }

  @Test
  void takesOnNothingWhileItMayNot() {
    try (SharedRun run = runAtOnce()) {
      run.mayTakeOn(false);
      assertThat(takeOn(run)).isEqualTo(2L * WINDOW);
      run.mayTakeOn(true);
      assertThat(run.past(WINDOW, 2L * WINDOW, BLOCK, CHUNK)).isEqualTo(3L * WINDOW);
    }
  }

  @Test
  void takesOnNothingThatIsNoWholeWindow() {
    try (SharedRun run = runAtOnce()) {
      run.past(0, WINDOW, BLOCK, CHUNK);
      clock.advance(Duration.ofMillis(1));
      assertThat(run.past(WINDOW, 2L * WINDOW, 3L * WINDOW - CHUNK, CHUNK)).isEqualTo(2L * WINDOW);
      assertThat(run.past(WINDOW, 2L * WINDOW, BLOCK, 2 * WINDOW)).isEqualTo(2L * WINDOW);
    }
  }

  @Test
  void takesOnNothingWhereMemoryIsScarce() {
    WindowPool scarce = new WindowPool(8L << 20, WINDOW, new ClientCounters());
    try (SharedRun run = new SharedRun(scarce, clock, way, Runnable::run, together)) {
      assertThat(takeOn(run)).isEqualTo(2L * WINDOW);
      assertThat(scarce.lentBytes()).isZero();
    }
  }

  @Test
  void takesOnNothingWhereNoThreadIsToBeHad() {
    try (SharedRun run =
        run(
            work -> {
              throw new RejectedExecutionException("all are busy");
            })) {
      assertThat(takeOn(run)).isEqualTo(2L * WINDOW);
      assertThat(run.hasRanges()).isFalse();
      assertThat(WINDOWS.lentBytes()).isZero();
    }
  }

  @Test
  void oneRangeWaitsAndNoMore() {
    try (SharedRun run = run(begun::add)) {
      assertThat(takeOn(run)).isEqualTo(3L * WINDOW);
      assertThat(run.past(WINDOW, 4L * WINDOW, BLOCK, CHUNK)).isEqualTo(4L * WINDOW);
      begun.remove().run();
      assertRead(run, 2L * WINDOW, WINDOW, WINDOW);
      assertThat(run.past(3L * WINDOW, 4L * WINDOW, BLOCK, CHUNK)).isEqualTo(5L * WINDOW);
      assertThat(begun).as("the first thread has ended").hasSize(1);
      begun.remove().run();
      assertRead(run, 4L * WINDOW, WINDOW, WINDOW);
    }
  }

  @Test
  void whatIsLeftGivesItsMemoryBack() {
    try (SharedRun run = runAtOnce()) {
      takeOn(run);
      run.leave();
      assertThat(WINDOWS.lentBytes()).isZero();
      assertRead(run, 2L * WINDOW, 1000, 0);
      assertThat(run.takeFailure()).isNull();
      assertThat(together.isOn()).isTrue();
    }
  }

  /** Who leaves it does not wait; its thread is interrupted, and gives the memory back. */
  @Test
  void whatIsLeftInMidReadEndsSoon() throws Exception {
    way.partsBeforeItHangs = 1;
    try (SharedRun run = runOnAThread()) {
      takeOn(run);
      assertThat(way.hangs.await(60, TimeUnit.SECONDS)).isTrue();
      run.leave();
      assertThat(run.hasRanges()).isFalse();
      holdsNothing();
      assertThat(run.takeFailure()).isNull();

      way.partsBeforeItHangs = Integer.MAX_VALUE;
      assertThat(run.past(2L * WINDOW, 4L * WINDOW, BLOCK, CHUNK)).isEqualTo(5L * WINDOW);
      target.clear();
      assertThat(run.read(4L * WINDOW, target, TimeUnit.MINUTES.toNanos(1))).isPositive();
    }
  }

  @Test
  void closedItTakesOnNothing() {
    SharedRun run = runAtOnce();
    takeOn(run);
    run.close();
    run.close();
    assertThat(WINDOWS.lentBytes()).isZero();
    assertThat(run.past(WINDOW, 4L * WINDOW, BLOCK, CHUNK)).isEqualTo(4L * WINDOW);
  }

  @Test
  void aByteThatIsOnItsWayIsWaitedFor() {
    try (SharedRun run = runOnAThread()) {
      takeOn(run);
      target.clear().limit(100);
      assertThat(run.read(3L * WINDOW - 100, target, TimeUnit.MINUTES.toNanos(1))).isEqualTo(100);
      assertThat(target.get(0)).isEqualTo((byte) -100);
    }
  }

  @Test
  void whatComesTooLateIsLeftAndSomeOfItMayBeHere() throws Exception {
    way.partsBeforeItHangs = 2;
    together.brought(WINDOW, 1_000);
    double before = together.nanosPerByte();
    try (SharedRun run = runOnAThread()) {
      takeOn(run);
      assertThat(way.hangs.await(60, TimeUnit.SECONDS)).isTrue();
      assertRead(run, 2L * WINDOW, WINDOW, 2 * PART);
      assertRead(run, 2L * WINDOW + 2 * PART, WINDOW, 0);
      assertThat(run.hasRanges()).isFalse();
      assertThat(together.nanosPerByte()).isEqualTo(2 * before);
      assertThat(together.isOn()).isTrue();
    }
  }

  @Test
  void whatBringsNothingInTimeIsAsGoodAsSilent() throws Exception {
    way.partsBeforeItHangs = 0;
    try (SharedRun run = runOnAThread()) {
      takeOn(run);
      assertThat(way.hangs.await(60, TimeUnit.SECONDS)).isTrue();
      assertRead(run, 2L * WINDOW, WINDOW, 0);
      assertThat(together.isOn()).isFalse();
      assertThat(run.takeFailure()).isNull();
    }
  }

  @Test
  void whatWaitsBehindWhatIsSilentIsNotBegun() throws Exception {
    way.partsBeforeItHangs = 0;
    together.brought(WINDOW, 1_000);
    try (SharedRun run = runOnAThread()) {
      assertThat(takeOn(run)).isEqualTo(6L * WINDOW);
      assertThat(way.hangs.await(60, TimeUnit.SECONDS)).isTrue();
      assertThat(run.past(WINDOW, 7L * WINDOW, BLOCK, CHUNK)).isEqualTo(11L * WINDOW);
      assertRead(run, 2L * WINDOW, WINDOW, 0);
      target.clear();
      assertThat(run.read(7L * WINDOW, target, TimeUnit.MINUTES.toNanos(1))).isZero();
      assertThat(way.opened.get()).isEqualTo(1);
    }
  }

  @Test
  void aFailureIsToldOnceAndNothingMoreIsTakenOn() {
    way.failure = new IOException("reset");
    try (SharedRun run = runAtOnce()) {
      takeOn(run);
      assertRead(run, 2L * WINDOW, WINDOW, 0);
      assertThat(run.takeFailure()).isSameAs(way.failure);
      assertThat(run.takeFailure()).isNull();
      assertThat(run.past(WINDOW, 4L * WINDOW, BLOCK, CHUNK)).isEqualTo(4L * WINDOW);
    }
  }

  @Test
  void soIsAFault() {
    way.fault = new IllegalStateException("a bug");
    try (SharedRun run = runAtOnce()) {
      takeOn(run);
      assertRead(run, 2L * WINDOW, WINDOW, 0);
      assertThat(run.takeFailure()).hasCause(way.fault);
    }
  }

  @Test
  void anInterruptOfTheReaderIsForWhoReadsOn() throws Exception {
    way.partsBeforeItHangs = 0;
    try (SharedRun run = runOnAThread()) {
      takeOn(run);
      assertThat(way.hangs.await(60, TimeUnit.SECONDS)).isTrue();
      Thread.currentThread().interrupt();
      target.clear();
      assertThat(run.read(2L * WINDOW, target, TimeUnit.HOURS.toNanos(1))).isZero();
      assertThat(Thread.interrupted()).isTrue();
      assertThat(together.isOn()).as("it says nothing of the second way").isTrue();
    }
  }
}
