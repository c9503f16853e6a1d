// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.device;

import static io.rdio.core.testing.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.nativeio.Errno;
import io.rdio.nativeio.NativeLibrary;
import io.rdio.nativeio.Ring;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Many reads under way on an image file. */
final class RingQueueTest {
  private static final int BLOCK = 4096;
  private static final int BLOCKS = 64;
  private static final Duration BOUND = Duration.ofSeconds(60);

  @TempDir Path directory;
  private final ByteBuffer target =
      ByteBuffer.allocateDirect((BLOCKS + 1) * BLOCK).alignedSlice(BLOCK);
  private DirectBlockDevice device;
  private RingQueue queue;

  @BeforeEach
  void open() throws Exception {
    assertThat(NativeLibrary.availability().detail()).startsWith("loaded");
    byte[] content = new byte[BLOCKS * BLOCK];
    for (int i = 0; i < BLOCKS; i++) {
      Arrays.fill(content, i * BLOCK, (i + 1) * BLOCK, (byte) i);
    }
    device = DirectBlockDevice.open(Files.write(directory.resolve("image"), content), 512);
    queue = RingQueue.open();
  }

  @AfterEach
  void close() {
    queue.close();
  }

  private int prepare(int block, int place) {
    return queue.prepare(device, (long) block * BLOCK, target, place * BLOCK, BLOCK);
  }

  private int prepareAwaited(int block, int place) {
    return queue.prepareAwaited(device, (long) block * BLOCK, target, place * BLOCK, BLOCK);
  }

  @Test
  void lastPlaceIsForAReadThatIsAwaited() throws Exception {
    int[] tickets = new int[RingQueue.DEPTH - 1];
    for (int i = 0; i < tickets.length; i++) {
      tickets[i] = prepare(i, i);
      assertThat(tickets[i]).isNotEqualTo(ReadQueue.NONE);
    }
    for (int i = 0; i < 3; i++) {
      assertThat(prepare(9, BLOCKS - 1)).isEqualTo(ReadQueue.NONE);
      int ticket = prepareAwaited(9, BLOCKS - 1);
      assertThat(prepareAwaited(9, BLOCKS - 1)).as("one at a time").isEqualTo(ReadQueue.NONE);
      assertThat(queue.await(ticket)).isEqualTo(BLOCK);
      assertThat(target.get((BLOCKS - 1) * BLOCK)).isEqualTo((byte) 9);
    }
    for (int ticket : tickets) {
      assertThat(queue.await(ticket)).isEqualTo(BLOCK);
    }
  }

  @Test
  void readsEndInAnyOrder() throws Exception {
    Random random = new Random(1);
    for (int round = 0; round < 50; round++) {
      int[] tickets = new int[BLOCKS];
      for (int i = 0; i < BLOCKS; i++) {
        tickets[i] = i < BLOCKS - 1 ? prepare(BLOCKS - 1 - i, i) : prepareAwaited(0, i);
        assertThat(tickets[i]).isNotEqualTo(ReadQueue.NONE);
        if (random.nextInt(10) == 0) {
          queue.submit();
        }
      }
      assertThat(prepareAwaited(0, 0)).as("one too many").isEqualTo(ReadQueue.NONE);
      int first = random.nextInt(BLOCKS);
      for (int i = 0; i < BLOCKS; i++) {
        int at = (first + i) % BLOCKS;
        assertThat(queue.await(tickets[at])).isEqualTo(BLOCK);
        assertThat(target.get(at * BLOCK)).isEqualTo((byte) (BLOCKS - 1 - at));
        assertThat(target.get((at + 1) * BLOCK - 1)).isEqualTo((byte) (BLOCKS - 1 - at));
        target.put(at * BLOCK, (byte) -1);
      }
    }
  }

  /** Else the device rests while its owner uses what has ended already. */
  @Test
  void awaitBeginsWhatIsPreparedWhereItNeedNotWait() throws Exception {
    int first = prepare(1, 0);
    int second = prepare(2, 1);
    queue.submit();
    await().atMost(BOUND).until(queue::poll);

    int third = prepare(3, 2);
    assertThat(queue.await(first)).isEqualTo(BLOCK);

    await().atMost(BOUND).until(() -> target.get(2 * BLOCK) == 3);
    assertThat(queue.await(second)).isEqualTo(BLOCK);
    assertThat(queue.await(third)).isEqualTo(BLOCK);
  }

  @Test
  void aReadThatIsWaitedForAtOnceTellsHowFastItsDeviceIs() throws Exception {
    for (int i = 0; i < 1000 && device.backlog().nanosOf(BLOCK) == 0; i++) {
      queue.await(prepare(1, 0));
    }
    assertThat(device.backlog().nanosOf(BLOCK)).isPositive();
    assertThat(device.backlog().underWay()).isZero();
  }

  /** Its time would be that of its owner, who was busy with something else. */
  @Test
  void whatHadEndedBeforeItWasWaitedForTellsNothing() throws Exception {
    int ticket = prepare(1, 0);
    queue.submit();
    await().atMost(BOUND).until(queue::poll);
    assertThat(queue.await(ticket)).isEqualTo(BLOCK);
    assertThat(device.backlog().nanosOf(BLOCK)).isZero();
    assertThat(device.backlog().underWay()).isZero();
  }

  /** The same, seen by the wait itself; which a busy machine may hold up, but not each time. */
  @Test
  void norWhereTheWaitIsOverAtOnce() throws Exception {
    boolean told = true;
    for (int i = 0; i < 5 && told; i++) {
      DirectBlockDevice other = DirectBlockDevice.open(directory.resolve("image"), 512);
      target.put(0, (byte) -1);
      int ticket = queue.prepare(other, BLOCK, target, 0, BLOCK);
      queue.submit();
      await().atMost(BOUND).until(() -> target.get(0) == 1);
      assertThat(queue.await(ticket)).isEqualTo(BLOCK);
      told = other.backlog().nanosOf(BLOCK) > 0;
    }
    assertThat(told).isFalse();
  }

  @Test
  void whatNobodyWaitsForIsNoWorkOfItsDevice() throws Exception {
    DirectBlockDevice other = DirectBlockDevice.open(directory.resolve("image"), 512);
    long one = DeviceBacklog.weight(BLOCK);
    int first = prepare(1, 0);
    int second = prepare(2, 1);
    int third = queue.prepare(other, 3L * BLOCK, target, 2 * BLOCK, BLOCK);
    assertUnderWay(2 * one, one, other);
    queue.rest();
    queue.rest();
    assertUnderWay(0, 0, other);
    queue.resume();
    queue.resume();
    assertUnderWay(2 * one, one, other);

    queue.rest();
    await().atMost(BOUND).until(queue::poll);
    assertUnderWay(0, 0, other);
    queue.resume();
    assertUnderWay(0, 0, other);
    for (int ticket : new int[] {first, second, third}) {
      assertThat(queue.await(ticket)).isEqualTo(BLOCK);
    }
    int last = prepare(4, 3);
    assertUnderWay(one, 0, other);
    assertThat(queue.await(last)).isEqualTo(BLOCK);
    assertUnderWay(0, 0, other);
  }

  private void assertUnderWay(long here, long there, DirectBlockDevice other) {
    assertThat(device.backlog().underWay()).isEqualTo(here);
    assertThat(other.backlog().underWay()).isEqualTo(there);
  }

  @Test
  void itTellsHowLongItWaited() throws Exception {
    int ended = prepare(1, 0);
    queue.submit();
    await().atMost(BOUND).until(queue::poll);

    long begun = System.nanoTime();
    assertThat(queue.await(prepare(2, 1))).isEqualTo(BLOCK);
    assertThat(queue.waitedNanos()).isBetween(1L, System.nanoTime() - begun);
    assertThat(queue.await(ended)).isEqualTo(BLOCK);
    assertThat(queue.waitedNanos()).isZero();
  }

  @Test
  void keptMemoryIsReadToAsAnyOther() throws Exception {
    queue.keep(target);
    queue.keep(target);
    readsEndInAnyOrder();
    for (int i = 0; i < 40; i++) {
      ByteBuffer other = ByteBuffer.allocateDirect(2 * BLOCK).alignedSlice(BLOCK);
      queue.keep(other);
      int ticket = queue.prepare(device, (long) i * BLOCK, other, 0, BLOCK);
      assertThat(queue.await(ticket)).isEqualTo(BLOCK);
      assertThat(other.get(0)).isEqualTo((byte) i);
    }
    queue.keep(ByteBuffer.allocate(BLOCK));
    readsEndInAnyOrder();
  }

  /** However often what is kept is cut into other buffers, it takes one of the few places. */
  @Test
  void partsOfKeptMemoryAreKept() throws Exception {
    boolean kept = queue.keep(target);
    for (int i = 0; i < Ring.PINNED_MAX; i++) {
      queue.keep(ByteBuffer.allocateDirect(2 * BLOCK).alignedSlice(BLOCK));
    }
    for (int i = 0; i < BLOCKS; i++) {
      ByteBuffer part = target.slice(i * BLOCK, BLOCK);
      assertThat(queue.keep(part)).isEqualTo(kept);
      int ticket = queue.prepare(device, (long) i * BLOCK, part, 0, BLOCK);
      assertThat(queue.await(ticket)).isEqualTo(BLOCK);
      assertThat(part.get(0)).isEqualTo((byte) i);
      assertThat(part.get(BLOCK - 1)).isEqualTo((byte) i);
    }
  }

  /** Its end is somebody else's: a read there by the pin would fail. */
  @Test
  void memoryThatReachesBeyondWhatIsKeptIsReadToAsAnyOther() throws Exception {
    queue.keep(target.slice(0, 2 * BLOCK));
    for (int i = 0; i < BLOCKS - 1; i++) {
      int ticket = queue.prepare(device, (long) i * BLOCK, target, BLOCK, 2 * BLOCK);
      assertThat(queue.await(ticket)).isEqualTo(2 * BLOCK);
      assertThat(target.get(BLOCK)).isEqualTo((byte) i);
      assertThat(target.get(3 * BLOCK - 1)).isEqualTo((byte) (i + 1));
    }
  }

  @Test
  void whatCannotBeReadSoIsNotBegun() {
    assertThat(prepare(BLOCKS, 0)).as("beyond the device").isEqualTo(ReadQueue.NONE);
    assertThat(queue.prepare(device, 512, target, 0, BLOCK)).isEqualTo(ReadQueue.NONE);
    assertThat(queue.prepare(device, 0, target, 512, BLOCK)).isEqualTo(ReadQueue.NONE);
    assertThat(queue.prepare(device, 0, ByteBuffer.allocate(BLOCK), 0, BLOCK))
        .isEqualTo(ReadQueue.NONE);
  }

  @Test
  void onlyAKernelWithoutItRefusesAQueueForGood() {
    int[] forGood = {Errno.ENOSYS, Errno.EPERM, Errno.EACCES};
    for (int errno : forGood) {
      assertThat(RingQueue.refusal(errno).reason()).isEqualTo(FallbackReason.ASYNC_IO_UNAVAILABLE);
    }
    int[] forNow = {12 /* ENOMEM */, 23 /* ENFILE */, 24 /* EMFILE */};
    for (int errno : forNow) {
      FallbackException refusal = RingQueue.refusal(errno);
      assertThat(refusal.reason()).isEqualTo(FallbackReason.BUFFERS_EXHAUSTED);
      assertThat(refusal.detail()).contains(Errno.text(errno));
    }
  }

  /** Of this process. */
  private static long rings() throws IOException {
    long rings = 0;
    try (DirectoryStream<Path> open = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
      for (Path descriptor : open) {
        if (Files.isSymbolicLink(descriptor)
            && Files.readSymbolicLink(descriptor).toString().contains("io_uring")) {
          rings++;
        }
      }
    }
    return rings;
  }

  @Test
  void queueThatFailsBehindItsRingLeavesNone() throws Exception {
    long before = rings();
    assertThat(before).isPositive();

    // Stands for the memory of the queue's that is not to be had.
    Duration beyondNanos = Duration.ofSeconds(Long.MAX_VALUE);
    assertThatThrownBy(() -> RingQueue.open(beyondNanos)).isInstanceOf(ArithmeticException.class);

    assertThat(rings()).isEqualTo(before);
  }

  @Test
  void deviceThatHasShrunkIsAFailedRead() throws Exception {
    Files.write(directory.resolve("image"), new byte[BLOCK]);
    int ticket = prepare(5, 0);
    FallbackException refusal =
        catchThrowableOfType(FallbackException.class, () -> queue.await(ticket));
    assertThat(refusal.reason()).isEqualTo(FallbackReason.DEVICE_IO_ERROR);
    assertThat(refusal.detail()).contains("it has shrunk");
    assertThat(queue.await(prepare(0, 0))).isEqualTo(BLOCK);
  }

  @Test
  void readThatEndsEarlyTellsHowFarItCame() throws Exception {
    Files.write(directory.resolve("image"), new byte[BLOCK]);
    int ticket = queue.prepare(device, 0, target, 0, 3 * BLOCK);
    assertThat(queue.await(ticket)).isEqualTo(BLOCK);
  }

  @Test
  void closingWaitsForWhatIsUnderWay() throws Exception {
    for (int i = 0; i < 200; i++) {
      RingQueue other = RingQueue.open();
      for (int block = 0; block < BLOCKS - 1; block++) {
        other.prepare(device, (long) block * BLOCK, target, block * BLOCK, BLOCK);
      }
      other.submit();
      other.close();
      assertThat(target.get((BLOCKS - 2) * BLOCK)).isEqualTo((byte) (BLOCKS - 2));
      target.put((BLOCKS - 2) * BLOCK, (byte) -1);
    }
  }
}
