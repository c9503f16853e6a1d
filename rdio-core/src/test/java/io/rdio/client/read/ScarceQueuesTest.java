// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import static io.rdio.core.testing.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.device.BlockDevice;
import io.rdio.core.device.ReadQueue;
import io.rdio.core.testing.ReadFixture;
import io.rdio.core.testing.ReadPools;
import io.rdio.core.testing.TestBlock;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** More readers than there are queues, on a device that does not answer. */
final class ScarceQueuesTest {
  private static final int LENGTH = 1 << 20;
  private static final int COUNT = 4096;
  private static final int TOO_MANY = 40;
  private static final int BOUND_SECONDS = 60;

  private final TestBlock block =
      new TestBlock(6, LENGTH, ChecksumSpec.Type.CRC32C, 512, 4096, Integer.MAX_VALUE);
  private final AtomicLong now = new AtomicLong();
  private final CountDownLatch deadline = new CountDownLatch(1);
  private final AtomicInteger stuck = new AtomicInteger();
  private volatile boolean answers;
  private final ReadPools pools =
      ReadPools.lendingBy(
          256 << 20, windows -> new ReadAheadPool(windows, 0, StuckQueue::new, now::get));
  private final ReadFixture fixture = new ReadFixture(block, 512, pools);
  private final ReadAheadPool readAheads = fixture.readAheads;

  /** Whoever waits for a read gives up at the deadline; the reads end when the device answers. */
  private final class StuckQueue implements ReadQueue {
    private int underWay;

    @Override
    public int prepare(BlockDevice on, long offset, ByteBuffer target, int at, int length) {
      return underWay++;
    }

    @Override
    public int prepareAwaited(BlockDevice on, long offset, ByteBuffer target, int at, int length) {
      return prepare(on, offset, target, at, length);
    }

    @Override
    public boolean givesUp() {
      return true;
    }

    @Override
    public void submit() {}

    @Override
    public int await(int ticket) throws FallbackException {
      stuck.incrementAndGet();
      try {
        deadline.await();
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
      throw new FallbackException(FallbackReason.DEVICE_TIMEOUT, "hangs");
    }

    @Override
    public boolean discard(int ticket) {
      return answers;
    }

    @Override
    public boolean poll() {
      return answers;
    }

    @Override
    public void close() {}
  }

  /** A reader that reads, on a thread of its own, and what becomes of that. */
  private final class Reading {
    private final CompletableFuture<FallbackReason> reason = new CompletableFuture<>();
    private final CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
    private final Thread thread = new Thread(this::read);
    private final ExtentReader reader;

    Reading() throws FallbackException {
      reader = fixture.reader();
      thread.start();
    }

    private void read() {
      try (reader) {
        reason.complete(
            catchThrowableOfType(
                    FallbackException.class, () -> reader.read(COUNT, new byte[COUNT], 0, COUNT))
                .reason());
        interrupted.complete(Thread.currentThread().isInterrupted());
      } catch (Throwable e) {
        reason.completeExceptionally(e);
      }
    }

    FallbackReason reason() throws Exception {
      return reason.get(BOUND_SECONDS, TimeUnit.SECONDS);
    }
  }

  private List<Reading> readings(int count) throws FallbackException {
    List<Reading> readings = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      readings.add(new Reading());
    }
    return readings;
  }

  /** As many as there are queues, each waiting for the device. */
  private List<Reading> stuck() throws FallbackException {
    List<Reading> readings = readings(ReadAheadPool.MAX_QUEUES);
    await().until(() -> stuck.get() == ReadAheadPool.MAX_QUEUES);
    return readings;
  }

  @AfterEach
  void allIsGivenBack() {
    deadline.countDown();
    answers = true;
    await()
        .untilAsserted(
            () -> {
              assertThat(readAheads.waiting()).isZero();
              assertThat(readAheads.abandoned()).isZero();
              assertThat(readAheads.lentQueues()).isZero();
              assertThat(fixture.windows.lentBytes()).isZero();
            });
    assertThat(fixture.device.reads()).as("past the queues, where nobody gives up").isZero();
  }

  @Test
  void eachReaderEndsWithItsReasonAndNoneReadsPastTheQueues() throws Exception {
    List<Reading> first = stuck();
    List<Reading> late = readings(TOO_MANY);
    await().until(() -> readAheads.waiting() == TOO_MANY);
    assertThat(fixture.device.reads()).isZero();

    now.addAndGet(ReadAheadPool.MAX_WAIT.toNanos());
    for (Reading reading : late) {
      assertThat(reading.reason()).isEqualTo(FallbackReason.BUFFERS_EXHAUSTED);
    }
    assertThat(fixture.maps.rejections()).as("that says nothing against the replica").isEmpty();
    assertThat(first).noneMatch(reading -> reading.reason.isDone());

    deadline.countDown();
    for (Reading reading : first) {
      assertThat(reading.reason()).isEqualTo(FallbackReason.DEVICE_TIMEOUT);
    }
    assertThat(readAheads.abandoned()).isEqualTo(ReadAheadPool.MAX_QUEUES);
  }

  @Test
  void readersThatWaitGoOnWhenOthersGiveUp() throws Exception {
    List<Reading> all = stuck();
    all.addAll(readings(TOO_MANY));
    await().until(() -> readAheads.waiting() == TOO_MANY);
    for (int i = 0; i < TOO_MANY; i++) {
      fixture.maps.then(block.map(fixture.clock)); // for each that gives up has its map rejected
    }
    deadline.countDown();
    for (Reading reading : all) {
      assertThat(reading.reason())
          .isIn(FallbackReason.DEVICE_TIMEOUT, FallbackReason.LEASE_EXPIRED);
    }
    assertThat(stuck.get())
        .as("on queues beyond those put aside")
        .isGreaterThan(all.size() - TOO_MANY);
  }

  @Test
  void interruptedReaderWaitsForNoQueue() throws Exception {
    stuck();
    Reading late = new Reading();
    await().until(() -> readAheads.waiting() == 1);
    late.thread.interrupt();
    assertThat(late.reason()).isEqualTo(FallbackReason.INTERRUPTED);
    assertThat(late.interrupted.get(BOUND_SECONDS, TimeUnit.SECONDS)).as("flag kept").isTrue();
    assertThat(fixture.maps.rejections()).isEmpty();
  }

  @Test
  void readerThatIsClosedWaitsForNoQueue() throws Exception {
    stuck();
    ExtentReader reader = fixture.reader();
    reader.close();
    assertThat(
            catchThrowableOfType(
                    FallbackException.class, () -> reader.read(0, new byte[COUNT], 0, COUNT))
                .reason())
        .isEqualTo(FallbackReason.ACCESSOR_CLOSED);
  }
}
