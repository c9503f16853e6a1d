// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.device;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.Setting;
import io.rdio.core.thread.DaemonThreads;
import io.rdio.nativeio.DirectReader;
import io.rdio.nativeio.Errno;
import io.rdio.nativeio.Ring;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The reads of a {@link RingQueue}: the ring, and what must stay reachable until the kernel is done
 * with it. Run when the queue is closed or garbage. For one thread at a time.
 */
final class RingReads implements Runnable {
  private static final long PENDING = Long.MIN_VALUE;
  private static final long NO_LIMIT = -1;

  /** How soon an interrupt is noticed: nothing of the JVM's wakes a thread from the kernel. */
  private static final Duration SLICE = Duration.ofMillis(100);

  private final long ring;
  private final Entry entry;
  private final long timeoutNanos;
  private final long discardNanos;
  private final ByteBuffer completions =
      ByteBuffer.allocateDirect(RingQueue.DEPTH * Ring.COMPLETION_BYTES)
          .order(ByteOrder.nativeOrder());
  private final long completionsAddress = DirectReader.addressOf(completions);
  private final @Nullable ByteBuffer[] targets = new @Nullable ByteBuffer[RingQueue.DEPTH];
  private final @Nullable DirectBlockDevice[] devices =
      new @Nullable DirectBlockDevice[RingQueue.DEPTH];
  private final long[] results = new long[RingQueue.DEPTH];
  private final CountedReads counted = new CountedReads();
  // What is pinned, which must stay reachable, and from which address to which it lies.
  private final @Nullable ByteBuffer[] pinned = new @Nullable ByteBuffer[Ring.PINNED_MAX];
  private final long[] pinnedFrom = new long[Ring.PINNED_MAX];
  private final long[] pinnedTo = new long[Ring.PINNED_MAX];
  private int pinnedCount;
  private int pinnedMax = Ring.PINNED_MAX;
  private long freeTickets = -1L;
  private boolean prepared;

  // When the kernel told last that reads had ended, and how long await() then had waited for one.
  private long toldNanos;
  private long waitedNanos;

  // Set while nobody waits for what is under way: why, and which reads their devices count.
  private @Nullable FallbackReason givenUp;
  private long abandonedTickets;

  /** The call that begins reads and tells of their ends: {@link Ring#enter}. */
  @FunctionalInterface
  interface Entry {
    /** As that one. */
    int enter(long ring, int waitFor, long timeoutNanos, long completions, int max);
  }

  /**
   * @param ring which this frees
   * @param entry by which it is entered
   * @param timeout how long a read is waited for; zero for as long as it takes
   * @param discardWait the same for one whose bytes nobody wants, if that is less
   */
  RingReads(long ring, Entry entry, Duration timeout, Duration discardWait) {
    this.ring = ring;
    this.entry = entry;
    this.timeoutNanos = timeout.toNanos();
    this.discardNanos = Math.min(timeoutNanos, discardWait.toNanos());
  }

  /** Whether they are given up when they are late. */
  boolean giveUp() {
    return timeoutNanos > 0;
  }

  boolean keep(ByteBuffer memory) {
    long address = DirectReader.addressOf(memory);
    if (pinOf(address, memory.capacity()) != Ring.UNPINNED) {
      return true;
    }
    boolean pins =
        pinnedCount < pinnedMax
            && address != 0
            && Ring.pin(ring, pinnedCount, address, memory.capacity()) == 0;
    if (pins) {
      pinnedFrom[pinnedCount] = address;
      pinnedTo[pinnedCount] = address + memory.capacity();
      pinned[pinnedCount++] = memory;
    } else {
      pinnedMax = pinnedCount;
    }
    return pins;
  }

  /** In which pinned memory bytes lie: as long as that is reachable, no other memory is there. */
  private int pinOf(long address, int length) {
    for (int i = 0; i < pinnedCount; i++) {
      if (address >= pinnedFrom[i] && address + length <= pinnedTo[i]) {
        return i;
      }
    }
    return Ring.UNPINNED;
  }

  /** Leaves the last ticket to {@link #prepareAwaited}. */
  int prepare(DirectBlockDevice device, long offset, ByteBuffer target, int at, int length) {
    boolean isLast = (freeTickets & (freeTickets - 1)) == 0;
    return isLast ? ReadQueue.NONE : prepareAwaited(device, offset, target, at, length);
  }

  int prepareAwaited(DirectBlockDevice device, long offset, ByteBuffer target, int at, int length) {
    long address = DirectReader.addressOf(target);
    if (freeTickets == 0 || address == 0 || !device.canRead(offset, address + at, length)) {
      return ReadQueue.NONE;
    }
    int ticket = Long.numberOfTrailingZeros(freeTickets);
    int pin = pinOf(address + at, length);
    if (device.prepare(ring, address + at, length, offset, ticket, pin) < 0) {
      return ReadQueue.NONE;
    }
    prepared = true;
    freeTickets &= ~(1L << ticket);
    targets[ticket] = target;
    devices[ticket] = device;
    results[ticket] = PENDING;
    counted.begin(ticket, device.backlog(), length);
    return ticket;
  }

  void submit() {
    if (prepared) {
      enter(0, 0);
    }
  }

  int await(int ticket) throws FallbackException {
    if (results[ticket] == PENDING) {
      long begun = System.nanoTime();
      waitFor(ticket, begun);
      waitedNanos = toldNanos - begun;
    } else {
      waitedNanos = 0;
      submit(); // what was prepared since, or the device would rest while this one's bytes are used
    }
    DirectBlockDevice device = Objects.requireNonNull(devices[ticket]);
    release(ticket);
    int result = (int) results[ticket];
    if (result == 0 || (result < 0 && !isWorthRepeating(-result))) {
      throw device.failed(counted.length(ticket), result);
    }
    return Math.max(0, result);
  }

  long waitedNanos() {
    return waitedNanos;
  }

  private static boolean isWorthRepeating(int errno) {
    return errno == Errno.EINTR || errno == Errno.EAGAIN || errno == Errno.ECANCELED;
  }

  private void release(int ticket) {
    targets[ticket] = null;
    devices[ticket] = null;
    freeTickets |= 1L << ticket;
    if (givenUp != null && !isAnyUnderWay()) {
      givenUp = null;
    }
  }

  private void waitFor(int ticket, long begun) throws FallbackException {
    if (timeoutNanos == 0) {
      waitWithoutLimit(ticket);
      return;
    }
    enter(givenUp == null ? 1 : 0, Math.min(timeoutNanos, SLICE.toNanos()));
    while (results[ticket] == PENDING) {
      if (givenUp == null && Thread.currentThread().isInterrupted()) {
        giveUp(FallbackReason.INTERRUPTED);
      } else if (givenUp == null && System.nanoTime() - begun >= timeoutNanos) {
        giveUp(FallbackReason.DEVICE_TIMEOUT);
      }
      if (givenUp != null) {
        throw refusal(ticket, givenUp);
      }
      enter(1, Math.min(timeoutNanos, SLICE.toNanos()));
    }
  }

  private void waitWithoutLimit(int ticket) {
    while (results[ticket] == PENDING) {
      enter(1, NO_LIMIT);
    }
  }

  private FallbackException refusal(int ticket, FallbackReason reason) {
    String name = Objects.requireNonNull(devices[ticket]).name();
    if (reason == FallbackReason.INTERRUPTED) {
      return new FallbackException(reason, "waiting for " + name);
    }
    String wait = Setting.READ_TIMEOUT + ", " + TimeUnit.NANOSECONDS.toMillis(timeoutNanos);
    return new FallbackException(reason, name + " has not answered a read within " + wait + " ms");
  }

  boolean discard(int ticket) {
    if ((freeTickets & 1L << ticket) != 0) {
      return true;
    }
    if (results[ticket] == PENDING && timeoutNanos == 0) {
      waitWithoutLimit(ticket);
    } else if (results[ticket] == PENDING) {
      waitForAMoment(ticket);
    }
    if (results[ticket] == PENDING) {
      return false;
    }
    release(ticket);
    return true;
  }

  private void waitForAMoment(int ticket) {
    long begun = System.nanoTime();
    enter(givenUp == null ? 1 : 0, Math.min(discardNanos, SLICE.toNanos()));
    while (results[ticket] == PENDING && givenUp == null) {
      long left = discardNanos - (System.nanoTime() - begun);
      if (left > 0 && !Thread.currentThread().isInterrupted()) {
        enter(1, Math.min(left, SLICE.toNanos()));
      } else {
        giveUp(FallbackReason.INTERRUPTED);
      }
    }
  }

  private void giveUp(FallbackReason reason) {
    givenUp = reason;
    for (int ticket = 0; ticket < RingQueue.DEPTH; ticket++) {
      if (isUnderWay(ticket)) {
        abandonedTickets |= 1L << ticket;
        abandonedReads(ticket).begin(reason == FallbackReason.DEVICE_TIMEOUT);
      }
    }
  }

  private boolean isUnderWay(int ticket) {
    return (freeTickets & 1L << ticket) == 0 && results[ticket] == PENDING;
  }

  private AbandonedReads abandonedReads(int ticket) {
    return Objects.requireNonNull(devices[ticket]).abandonedReads();
  }

  private boolean isAnyUnderWay() {
    for (int ticket = 0; ticket < RingQueue.DEPTH; ticket++) {
      if (isUnderWay(ticket)) {
        return true;
      }
    }
    return false;
  }

  boolean poll() {
    enter(0, 0);
    boolean all = !isAnyUnderWay();
    if (all) {
      givenUp = null;
    }
    return all;
  }

  /**
   * Begins, waits and takes the results. An error of the call itself (EAGAIN or EBUSY under memory
   * pressure) is passed over: what is prepared stays so for the next call, and a call that was to
   * wait has done so for a moment, so whoever waits on may call again at once.
   */
  private void enter(int waitFor, long mostNanos) {
    long begun = waitFor > 0 ? System.nanoTime() : 0;
    int told = entry.enter(ring, waitFor, mostNanos, completionsAddress, RingQueue.DEPTH);
    prepared = prepared && (told < 0 || (told & Ring.LEFT) != 0);
    int count = told < 0 ? 0 : told & ~Ring.LEFT;
    long now = waitFor > 0 || count > 0 ? System.nanoTime() : 0;
    toldNanos = count > 0 ? now : toldNanos;
    for (int i = 0; i < count; i++) {
      int ticket = (int) completions.getLong(i * Ring.COMPLETION_BYTES);
      results[ticket] = completions.getLong(i * Ring.COMPLETION_BYTES + Long.BYTES);
      counted.ended(ticket, results[ticket], waitFor > 0 ? begun : now, now);
      if ((abandonedTickets & 1L << ticket) != 0) {
        abandonedTickets &= ~(1L << ticket);
        abandonedReads(ticket).end(givenUp == FallbackReason.DEVICE_TIMEOUT);
      }
    }
    if (waitFor > 0 && told >= 0) {
      counted.looked(now);
    }
  }

  void rest() {
    counted.rest();
  }

  void resume() {
    counted.resume();
  }

  /** Frees the ring, once nothing is under way; on a thread of its own if that takes long. */
  @Override
  public void run() {
    if (discardAll()) {
      Ring.destroy(ring);
    } else {
      DaemonThreads.daemon("rdio-lost-reads", this::destroyLater).start();
    }
  }

  private boolean discardAll() {
    boolean all = true;
    for (int ticket = 0; ticket < RingQueue.DEPTH; ticket++) {
      all &= (freeTickets & 1L << ticket) != 0 || discard(ticket);
    }
    return all;
  }

  private void destroyLater() {
    for (int ticket = 0; ticket < RingQueue.DEPTH; ticket++) {
      if ((freeTickets & 1L << ticket) == 0) {
        waitWithoutLimit(ticket);
      }
    }
    Ring.destroy(ring);
  }
}
