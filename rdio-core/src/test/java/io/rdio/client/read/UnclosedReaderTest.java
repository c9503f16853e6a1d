// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import static io.rdio.core.testing.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.FallbackException;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.testing.HangingQueue;
import io.rdio.core.testing.ReadFixture;
import io.rdio.core.testing.ReadPools;
import io.rdio.core.testing.TestBlock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;

/** Readers that are lost without being closed, or open and idle, and those who come after them. */
final class UnclosedReaderTest {
  private static final int LENGTH = 4 << 20;
  private static final int AHEAD = 2 << 20;
  private static final int FIRST = 10_000;
  private static final int LOST = 3;

  private final TestBlock block =
      new TestBlock(4, LENGTH, ChecksumSpec.Type.CRC32C, 512, 4096, Integer.MAX_VALUE);
  private final AtomicBoolean hangs = new AtomicBoolean();
  private volatile LongSupplier time = System::nanoTime;
  private final ReadPools pools =
      ReadPools.lendingBy(
          64 << 20,
          of ->
              new ReadAheadPool(of, AHEAD, () -> new HangingQueue(hangs), () -> time.getAsLong()));
  private final ReadFixture fixture = new ReadFixture(block, 512, pools);
  private final WindowPool windows = fixture.windows;
  private final ReadAheadPool readAheads = fixture.readAheads;

  /** One that has begun to read in order, and reads ahead. */
  private ExtentReader begun() throws Exception {
    ExtentReader reader = fixture.reader();
    byte[] got = new byte[FIRST];
    reader.read(0, got, 0, FIRST);
    assertThat(got).isEqualTo(block.range(0, FIRST));
    return reader;
  }

  private void awaitNothingLent() {
    await()
        .untilAsserted(
            () -> {
              System.gc();
              assertThat(readAheads.keepers()).isZero();
              assertThat(readAheads.lentQueues()).isZero();
              assertThat(readAheads.abandoned()).isZero();
              assertThat(windows.lentBytes()).isZero();
            });
  }

  @Test
  void tenThousandUnclosedReadersGiveAllBack() throws Exception {
    for (int i = 0; i < 10_000; i++) {
      begun();
    }
    awaitNothingLent();
    assertThat(readAheads.borrow(fixture.clock).hasQueue()).isTrue();
  }

  @Test
  void unclosedReaderWithReadsUnderWay() throws Exception {
    List<ExtentReader> readers = new ArrayList<>();
    for (int i = 0; i < LOST; i++) {
      ExtentReader reader = begun();
      readOn(reader, FIRST, 60 * FIRST);
      readers.add(reader);
    }
    hangs.set(true);
    for (ExtentReader reader : readers) {
      readOn(reader, 60 * FIRST, 90 * FIRST); // which is here, and begins what comes behind it
    }
    readers.clear();
    await()
        .untilAsserted(
            () -> {
              System.gc();
              assertThat(readAheads.keepers()).isZero();
              assertThat(readAheads.abandoned()).isEqualTo(LOST);
            });
    assertThat(windows.lentBytes()).isPositive();
    hangs.set(false);
    awaitNothingLent();
  }

  @Test
  void closedReaderIsForgotten() throws Exception {
    ExtentReader reader = begun();
    assertThat(readAheads.keepers()).isEqualTo(1);
    reader.close();
    assertThat(readAheads.keepers()).isZero();
    assertThat(windows.lentBytes()).isZero();
  }

  @Test
  void idleReadersLeaveTheirsToWhoReads() throws Exception {
    List<ExtentReader> idle = new ArrayList<>();
    for (int i = 0; i < ReadAheadPool.MAX_QUEUES; i++) {
      idle.add(begun());
    }
    assertThat(readAheads.lentQueues()).isEqualTo(ReadAheadPool.MAX_QUEUES);
    time = () -> System.nanoTime() + KeptReadAheads.IDLE_AFTER.toNanos();

    long before = windows.lentBytes();
    ExtentReader last = begun();
    assertThat(windows.lentBytes()).isLessThan(before);
    readOn(last, FIRST, 1 << 20);
    assertThat(windows.lentBytes()).as("full read-ahead").isGreaterThan(AHEAD * 3 / 4);
    assertThat(readAheads.lentQueues()).as("rings").isEqualTo(1);

    for (ExtentReader reader : idle) {
      readOn(reader, FIRST, 2 * FIRST); // as if nothing had happened
      reader.close();
    }
    last.close();
    awaitNothingLent();
  }

  @Test
  void readerThatMovesOnLeavesItsQueueToWhoWaits() throws Exception {
    long before = System.nanoTime(); // so that all of them have moved on just now
    time = () -> before;
    List<ExtentReader> moving = new ArrayList<>();
    for (int i = 0; i < ReadAheadPool.MAX_QUEUES; i++) {
      moving.add(begun());
    }
    CompletableFuture<Boolean> hasQueue = new CompletableFuture<>();
    Thread waiting = new Thread(() -> hasQueue.complete(borrowAndGiveBack()));
    waiting.start();
    await().until(() -> readAheads.waiting() == 1);
    assertThat(readAheads.lentQueues()).isEqualTo(ReadAheadPool.MAX_QUEUES);
    assertThat(hasQueue).isNotDone();

    readOn(moving.get(0), FIRST, 2 * FIRST);
    assertThat(hasQueue.get(60, TimeUnit.SECONDS)).isTrue();
    await().until(() -> readAheads.lentQueues() == ReadAheadPool.MAX_QUEUES - 1);
    for (ExtentReader reader : moving) {
      readOn(reader, 2 * FIRST, 3 * FIRST); // as if nothing had happened
      reader.close();
    }
    awaitNothingLent();
  }

  private boolean borrowAndGiveBack() {
    try {
      ReadAhead ahead = readAheads.borrow(fixture.clock);
      readAheads.giveBack(ahead);
      return ahead.hasQueue();
    } catch (FallbackException e) {
      return false;
    }
  }

  private void readOn(ExtentReader reader, int from, int to) throws Exception {
    byte[] got = new byte[to - from];
    for (int at = from; at < to; at += FIRST) {
      reader.read(at, got, at - from, Math.min(FIRST, to - at));
    }
    assertThat(got).isEqualTo(block.range(from, to - from));
  }
}
