// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.device;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.nativeio.DirectReader;
import io.rdio.nativeio.Errno;
import io.rdio.nativeio.Ring;
import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * A {@link ReadQueue} on an io_uring of the kernel. One that its owner lost without closing it is
 * freed after its reads have ended, and until then the memory that they write to stays where it is.
 */
public final class RingQueue implements ReadQueue {
  /** Reads that can be under way: those of the windows of one stream, fragments included. */
  private static final int DEPTH = Long.SIZE;

  private static final Cleaner CLEANER = Cleaner.create();
  private static final long PENDING = Long.MIN_VALUE;

  private final UnderWay reads;
  private final Cleaner.Cleanable cleanable;

  private RingQueue(long ring) {
    this.reads = new UnderWay(ring);
    this.cleanable = CLEANER.register(this, reads);
  }

  /**
   * A new queue. librdio must be available.
   *
   * @throws FallbackException NATIVE_LIBRARY_UNAVAILABLE where the kernel or a seccomp filter has
   *     no io_uring for this process
   */
  public static RingQueue open() throws FallbackException {
    long ring = Ring.create(DEPTH);
    if (ring < 0) {
      throw new FallbackException(
          FallbackReason.NATIVE_LIBRARY_UNAVAILABLE, "io_uring: " + Errno.text(ring));
    }
    return new RingQueue(ring);
  }

  @Override
  public int prepare(BlockDevice device, long offset, ByteBuffer target, int at, int length) {
    try {
      return device instanceof DirectBlockDevice direct
          ? reads.prepare(direct, offset, target, at, length)
          : NONE;
    } finally {
      Reference.reachabilityFence(this);
    }
  }

  /**
   * Pins the memory for as long as this lives: most of what a large read costs its thread in the
   * kernel is finding the pages (benchmarks/README.md). The first {@link Ring#PINNED_MAX} buffers
   * only, and none any more once the kernel has refused one, most probably for RLIMIT_MEMLOCK.
   */
  @Override
  public void keep(ByteBuffer memory) {
    try {
      reads.keep(memory);
    } finally {
      Reference.reachabilityFence(this);
    }
  }

  @Override
  public void submit() {
    try {
      reads.submit();
    } finally {
      Reference.reachabilityFence(this);
    }
  }

  @Override
  public boolean await(int ticket) {
    try {
      return reads.await(ticket);
    } finally {
      Reference.reachabilityFence(this);
    }
  }

  @Override
  public void close() {
    cleanable.clean();
  }

  /** The ring, and what must stay reachable until the kernel is done with it. */
  private static final class UnderWay implements Runnable {
    private final long ring;
    private final ByteBuffer completions =
        ByteBuffer.allocateDirect(DEPTH * Ring.COMPLETION_BYTES).order(ByteOrder.nativeOrder());
    private final long completionsAddress = DirectReader.addressOf(completions);
    private final @Nullable ByteBuffer[] targets = new @Nullable ByteBuffer[DEPTH];
    private final @Nullable DirectBlockDevice[] devices = new @Nullable DirectBlockDevice[DEPTH];
    private final long[] results = new long[DEPTH];
    private final int[] lengths = new int[DEPTH];
    private final @Nullable ByteBuffer[] pinned = new @Nullable ByteBuffer[Ring.PINNED_MAX];
    private int pinnedCount;
    private int pinnedMax = Ring.PINNED_MAX;
    private long freeTickets = -1L;
    private boolean prepared;

    UnderWay(long ring) {
      this.ring = ring;
    }

    void keep(ByteBuffer memory) {
      if (pinnedCount == pinnedMax || pinOf(memory) != Ring.UNPINNED) {
        return;
      }
      long address = DirectReader.addressOf(memory);
      if (address != 0 && Ring.pin(ring, pinnedCount, address, memory.capacity()) == 0) {
        pinned[pinnedCount++] = memory;
      } else {
        pinnedMax = pinnedCount;
      }
    }

    @SuppressWarnings("ReferenceEquality") // Equal content is other memory.
    private int pinOf(ByteBuffer memory) {
      for (int i = 0; i < pinnedCount; i++) {
        if (pinned[i] == memory) {
          return i;
        }
      }
      return Ring.UNPINNED;
    }

    int prepare(DirectBlockDevice device, long offset, ByteBuffer target, int at, int length) {
      long address = DirectReader.addressOf(target);
      if (freeTickets == 0 || address == 0 || !device.canRead(offset, address + at, length)) {
        return NONE;
      }
      int ticket = Long.numberOfTrailingZeros(freeTickets);
      if (device.prepare(ring, address + at, length, offset, ticket, pinOf(target)) < 0) {
        return NONE;
      }
      prepared = true;
      freeTickets &= ~(1L << ticket);
      targets[ticket] = target;
      devices[ticket] = device;
      results[ticket] = PENDING;
      lengths[ticket] = length;
      return ticket;
    }

    void submit() {
      if (prepared) {
        enter(0);
      }
    }

    boolean await(int ticket) {
      while (results[ticket] == PENDING) {
        enter(1);
      }
      targets[ticket] = null;
      devices[ticket] = null;
      freeTickets |= 1L << ticket;
      return results[ticket] == lengths[ticket];
    }

    /**
     * Begins, waits and takes the results. An error of the call itself (EAGAIN or EBUSY under
     * memory pressure) is passed over: what is prepared stays so for the next call.
     */
    private void enter(int waitFor) {
      int count = Ring.enter(ring, waitFor, completionsAddress, DEPTH);
      prepared = prepared && count < 0;
      for (int i = 0; i < count; i++) {
        int ticket = (int) completions.getLong(i * Ring.COMPLETION_BYTES);
        results[ticket] = completions.getLong(i * Ring.COMPLETION_BYTES + Long.BYTES);
      }
    }

    /** Frees the ring, once nothing is under way. */
    @Override
    public void run() {
      for (int ticket = 0; ticket < DEPTH; ticket++) {
        if ((freeTickets & 1L << ticket) == 0) {
          await(ticket);
        }
      }
      Ring.destroy(ring);
    }
  }
}
