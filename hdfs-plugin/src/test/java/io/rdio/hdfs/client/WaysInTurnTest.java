// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.client.counters.ClientCounters;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.testing.TestBlock;
import io.rdio.hdfs.client.stock.FakeDataNodes;
import io.rdio.hdfs.client.way.BlockToRead;
import io.rdio.hdfs.client.way.BlockWays;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** An accessor with two ways before stock HDFS, whatever they are. */
class WaysInTurnTest {
  private static final int LENGTH = 10_000;

  private final TestBlock block =
      new TestBlock(11, LENGTH, ChecksumSpec.Type.CRC32C, 512, 4096, 20_000);
  private final FakeDataNodes dataNodes = new FakeDataNodes(block.bytes, 2);
  private final ClientCounters counters = new ClientCounters();
  private final FakeWay first = new FakeWay(block.bytes);
  private final FakeWay second = new FakeWay(block.bytes);
  private final ExecutorService threads = Executors.newCachedThreadPool();

  @AfterEach
  void endThreads() {
    threads.shutdownNow();
  }

  @Test
  void firstWayThatThereIsServes() throws Exception {
    first.exists = false;
    assertReads(open(), 100);
    assertThat(second.reads).hasValue(1);
    assertThat(dataNodes.calls).isEmpty();
  }

  @Test
  void refusalToOpenIsHadoopsToHear() {
    first.inOpen = () -> refuse(FallbackReason.FIRST_READ);
    assertThatExceptionOfType(FallbackException.class).isThrownBy(this::open);
    assertThat(counters.fallbacks(FallbackReason.FIRST_READ)).as("counted by the caller").isZero();
    assertThat(second.opened).hasValue(0);
  }

  @Test
  void wayThatFailsInMidReadIsLeftForTheNext() throws Exception {
    RdioReplicaAccessor accessor = open();
    first.inRead = () -> refuse(FallbackReason.DEVICE_IO_ERROR);
    assertReads(accessor, 100);
    assertReads(accessor, 200);
    assertThat(first.reads).hasValue(1);
    assertThat(first.closed).hasPositiveValue();
    assertThat(second.reads).hasValue(2);
    assertThat(second.closed).hasValue(0);
    assertThat(counters.fallbacks(FallbackReason.DEVICE_IO_ERROR)).isEqualTo(1);
    assertThat(counters.fallbacksToStock(FallbackReason.DEVICE_IO_ERROR)).isZero();
    assertThat(accessor.isShortCircuit()).isTrue();
    assertThat(accessor.getNetworkDistance()).isEqualTo(FakeWay.DISTANCE);
  }

  @Test
  void accidentsAreFailuresToo() throws Exception {
    first.inRead =
        () -> {
          throw new IOException("injected");
        };
    second.inRead =
        () -> {
          throw new LinkageError("injected");
        };
    RdioReplicaAccessor accessor = open();
    assertReads(accessor, 100);
    assertThat(counters.fallbacks(FallbackReason.INTERNAL_ERROR)).isEqualTo(2);
    assertThat(counters.fallbacksToStock(FallbackReason.INTERNAL_ERROR)).isEqualTo(1);
    assertThat(second.closed).hasPositiveValue();
    assertThat(dataNodes.calls).containsExactly("locate", "open 0 100+9900");
    assertThat(accessor.isLocal()).isFalse();
  }

  @Test
  void wayWithNothingForAReadIsLeftWithoutAFallback() throws Exception {
    first.serves = false;
    ByteBuffer got = ByteBuffer.allocate(20).position(5);
    assertThat(open().read(100, got)).isEqualTo(15);
    assertThat(got.position()).isEqualTo(20);
    assertThat(got.slice(5, 15)).isEqualTo(ByteBuffer.wrap(block.range(100, 15)));
    assertThat(first.closed).hasPositiveValue();
    for (FallbackReason reason : FallbackReason.values()) {
      assertThat(counters.fallbacks(reason)).as("%s", reason).isZero();
    }
  }

  @Test
  void refusalToOpenInMidBlockIsForStockHdfs() throws Exception {
    first.serves = false;
    second.inOpen = () -> refuse(FallbackReason.DEVICE_NOT_FOUND);
    RdioReplicaAccessor accessor = open();
    assertReads(accessor, 100);
    assertReads(accessor, 110);
    assertThat(second.opened).hasValue(1);
    assertThat(counters.fallbacks(FallbackReason.DEVICE_NOT_FOUND)).isEqualTo(1);
    assertThat(dataNodes.calls).hasSize(2);
  }

  @Test
  void interruptedReadComesBackToItsWay() throws Exception {
    RdioReplicaAccessor accessor = open();
    first.inRead = () -> refuse(FallbackReason.INTERRUPTED);
    assertInterrupted(accessor);
    first.inRead = () -> {};
    assertReads(accessor, 100);
    assertThat(first.closed).hasValue(0);
    assertThat(second.opened).hasValue(0);
    assertThat(counters.fallbacks(FallbackReason.INTERRUPTED)).isZero();
  }

  @Test
  void interruptedWhileAWayOpensTriesItAgain() throws Exception {
    RdioReplicaAccessor accessor = open();
    first.serves = false;
    second.inOpen = () -> refuse(FallbackReason.INTERRUPTED);
    assertInterrupted(accessor);
    second.inOpen = () -> {};
    assertReads(accessor, 100);
    assertThat(second.opened).hasValue(2);
    assertThat(second.reads).hasValue(1);
    assertThat(dataNodes.calls).isEmpty();
  }

  @Test
  void interruptedByNobodyIsAFailure() throws Exception {
    first.inRead = () -> refuse(FallbackReason.INTERRUPTED);
    assertReads(open(), 100);
    assertThat(second.reads).hasValue(1);
    assertThat(counters.fallbacks(FallbackReason.INTERRUPTED)).isEqualTo(1);
  }

  @Test
  void closeInMidReadAsksNoOtherWay() throws Exception {
    RdioReplicaAccessor accessor = open();
    first.inRead =
        () -> {
          accessor.close();
          refuse(FallbackReason.ACCESSOR_CLOSED);
        };
    assertThatThrownBy(() -> accessor.read(0, new byte[10], 0, 10))
        .isExactlyInstanceOf(IOException.class)
        .hasMessageEndingWith("closed meanwhile");
    assertThat(second.opened).hasValue(0);
    assertThat(counters.fallbacks(FallbackReason.ACCESSOR_CLOSED)).isZero();
    assertThat(first.closed).as("by the close, and behind the read").hasValue(2);
  }

  @Test
  void wayThatOpensDuringTheCloseIsClosed() throws Exception {
    RdioReplicaAccessor accessor = open();
    first.serves = false;
    second.inOpen = accessor::close;
    second.inRead = () -> refuse(FallbackReason.ACCESSOR_CLOSED);
    assertThatThrownBy(() -> accessor.read(0, new byte[10], 0, 10))
        .isExactlyInstanceOf(IOException.class)
        .hasMessageEndingWith("closed meanwhile");
    assertThat(second.closed).hasPositiveValue();
    assertThat(dataNodes.calls).isEmpty();
  }

  @Test
  void readThatStockHdfsHasBegunWhenTheCloseComesIsServed() throws Exception {
    RdioReplicaAccessor accessor = open();
    first.inRead =
        () -> {
          accessor.close();
          refuse(FallbackReason.BUFFERS_EXHAUSTED);
        };
    second.inRead = first.inRead;
    assertReads(accessor, 100);
    assertThat(dataNodes.openReaders).isZero();
  }

  @Test
  void readersThatMeetTheSameFailureCountItOnce() throws Exception {
    CyclicBarrier both = new CyclicBarrier(2);
    first.inRead =
        () -> {
          await(both);
          refuse(FallbackReason.DEVICE_TIMEOUT);
        };
    RdioReplicaAccessor accessor = open();
    Future<?> other = threads.submit(() -> assertReads(accessor, 300));
    assertReads(accessor, 100);
    other.get();
    assertThat(counters.fallbacks(FallbackReason.DEVICE_TIMEOUT)).isEqualTo(1);
    assertThat(second.opened).hasValue(1);
    assertThat(second.reads).hasValue(2);
  }

  @Test
  void readUnderWayInAWayThatIsLeftEndsThereAndClosesIt() throws Exception {
    CountDownLatch reading = new CountDownLatch(1);
    CountDownLatch left = new CountDownLatch(1);
    first.inRead =
        () -> {
          reading.countDown();
          await(left);
        };
    RdioReplicaAccessor accessor = open();
    Future<?> slow = threads.submit(() -> assertReads(accessor, 300));
    reading.await();
    first.inRead = () -> refuse(FallbackReason.DEVICE_TIMEOUT);
    assertReads(accessor, 100);
    int closed = first.closed.get();
    left.countDown();
    slow.get();
    assertThat(first.closed).as("it may have opened something meanwhile").hasValue(closed + 1);
    assertThat(second.reads).hasValue(1);
  }

  @Test
  void failureOfStockHdfsIsTheCallersAsItIs() throws Exception {
    first.inRead = () -> refuse(FallbackReason.DEVICE_IO_ERROR);
    second.inRead = first.inRead;
    RdioReplicaAccessor accessor = open();
    IOException down = new IOException("down");
    dataNodes.onOpen =
        (replica, offset) -> {
          throw down;
        };
    assertThatThrownBy(() -> accessor.read(0, new byte[10], 0, 10)).isSameAs(down);
    dataNodes.onOpen =
        (replica, offset) -> {
          throw new IllegalStateException("injected");
        };
    assertThatThrownBy(() -> accessor.read(0, new byte[10], 0, 10))
        .isInstanceOf(IllegalStateException.class);
    assertThat(counters.fallbacks(FallbackReason.INTERNAL_ERROR)).isZero();
    dataNodes.onOpen = (replica, offset) -> {};
    assertReads(accessor, 100);
  }

  private RdioReplicaAccessor open() throws FallbackException {
    return RdioReplicaAccessor.open(
        new BlockWays(counters, List.of(first, second)),
        new BlockToRead(block.request, true, LENGTH, dataNodes));
  }

  private Void assertReads(RdioReplicaAccessor accessor, int offset) throws IOException {
    byte[] got = new byte[10];
    assertThat(accessor.read(offset, got, 0, 10)).isEqualTo(10);
    assertThat(got).isEqualTo(block.range(offset, 10));
    return null;
  }

  private static void assertInterrupted(RdioReplicaAccessor accessor) {
    Thread.currentThread().interrupt();
    assertThatExceptionOfType(InterruptedIOException.class)
        .isThrownBy(() -> accessor.read(100, new byte[10], 0, 10));
    assertThat(Thread.interrupted()).isTrue();
  }

  private static void refuse(FallbackReason reason) throws FallbackException {
    throw new FallbackException(reason, "injected");
  }

  private static void await(CyclicBarrier barrier) {
    try {
      barrier.await();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
