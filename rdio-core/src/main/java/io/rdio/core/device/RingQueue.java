// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.device;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.nativeio.Errno;
import io.rdio.nativeio.Ring;
import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.time.Duration;

/**
 * A {@link ReadQueue} on an io_uring of the kernel, or where there is none for us, as in
 * containers, on its older io_submit, which pins no memory. One that its owner lost without closing
 * it is freed after its reads have ended, and until then the memory that they write to stays where
 * it is.
 *
 * <p>With a deadline, whoever waits for a read gives up when it has passed, or when interrupted.
 * The kernel cannot take back a read that the device has been told of, so what is given up stays
 * under way; {@link AbandonedReads} of its device counts it until it has ended.
 */
public final class RingQueue implements ReadQueue {
  /**
   * Reads that can be under way: those of the windows of one stream, fragments included, and one
   * that is awaited at once.
   */
  static final int DEPTH = Long.SIZE;

  private static final Cleaner CLEANER = Cleaner.create();

  /** How long a read is waited for whose bytes nobody wants. */
  private static final Duration DISCARD_WAIT = Duration.ofSeconds(1);

  private final RingReads reads;
  private final boolean uring;
  private final Cleaner.Cleanable cleanable;

  private RingQueue(long ring, Duration timeout, Duration discardWait) {
    this.reads = new RingReads(ring, Ring::enter, timeout, discardWait);
    this.uring = Ring.isUring(ring);
    this.cleanable = CLEANER.register(this, reads);
  }

  /** A new queue whose reads are waited for until they have ended. */
  public static RingQueue open() throws FallbackException {
    return open(Duration.ZERO);
  }

  /**
   * A new queue. librdio must be available.
   *
   * @param timeout how long a read is waited for; zero for as long as it takes, and interrupts are
   *     not heeded then either
   * @throws FallbackException ASYNC_IO_UNAVAILABLE where the kernel or a seccomp filter has neither
   *     for this process; BUFFERS_EXHAUSTED where it has none for now, for lack of memory or of
   *     descriptors
   */
  public static RingQueue open(Duration timeout) throws FallbackException {
    return open(timeout, DISCARD_WAIT);
  }

  static RingQueue open(Duration timeout, Duration discardWait) throws FallbackException {
    long ring = Ring.create(DEPTH);
    if (ring < 0) {
      throw refusal((int) -ring);
    }
    boolean opened = false;
    try {
      RingQueue queue = new RingQueue(ring, timeout, discardWait);
      opened = true;
      return queue;
    } finally {
      if (!opened) {
        Ring.destroy(ring); // no memory, say: nobody would ever clean it
      }
    }
  }

  static FallbackException refusal(int errno) {
    boolean isFinal = errno == Errno.ENOSYS || errno == Errno.EPERM || errno == Errno.EACCES;
    return new FallbackException(
        isFinal ? FallbackReason.ASYNC_IO_UNAVAILABLE : FallbackReason.BUFFERS_EXHAUSTED,
        "the kernel gives no queue for reads: " + Errno.text(errno));
  }

  /** Whether it is on an io_uring. */
  public boolean isUring() {
    return uring;
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

  @Override
  public int prepareAwaited(
      BlockDevice device, long offset, ByteBuffer target, int at, int length) {
    try {
      return device instanceof DirectBlockDevice direct
          ? reads.prepareAwaited(direct, offset, target, at, length)
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
  public boolean keep(ByteBuffer memory) {
    try {
      return reads.keep(memory);
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
  public boolean givesUp() {
    return reads.giveUp();
  }

  @Override
  public int await(int ticket) throws FallbackException {
    try {
      return reads.await(ticket);
    } finally {
      Reference.reachabilityFence(this);
    }
  }

  @Override
  public long waitedNanos() {
    return reads.waitedNanos();
  }

  @Override
  public boolean discard(int ticket) {
    try {
      return reads.discard(ticket);
    } finally {
      Reference.reachabilityFence(this);
    }
  }

  @Override
  public void rest() {
    try {
      reads.rest();
    } finally {
      Reference.reachabilityFence(this);
    }
  }

  @Override
  public void resume() {
    try {
      reads.resume();
    } finally {
      Reference.reachabilityFence(this);
    }
  }

  @Override
  public boolean poll() {
    try {
      return reads.poll();
    } finally {
      Reference.reachabilityFence(this);
    }
  }

  @Override
  public void close() {
    cleanable.clean();
  }
}
