// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent.daemon;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.rdio.agent.ipc.Protocol;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.nativeio.Errno;
import io.rdio.nativeio.LocalSocket;
import io.rdio.nativeio.SharedMemory;
import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The agent's end of a process's shared segment. What is in it is the process's: the agent writes
 * to it what the process asked for, and believes nothing of it but, as a hint, whether it is in
 * use. Safe for any number of threads.
 */
final class SegmentMemory implements AutoCloseable {
  private static final Cleaner CLEANER = Cleaner.create();

  private final int fd;
  private final long address;
  private final ByteBuffer bytes;
  private final Cleaner.Cleanable unmapping;

  /** Lanes that have some of it pinned. */
  @GuardedBy("this")
  private int pins;

  private SegmentMemory(int fd, long address, ByteBuffer bytes, Cleaner.Cleanable unmapping) {
    this.fd = fd;
    this.address = address;
    this.bytes = bytes;
    this.unmapping = unmapping;
  }

  /**
   * Maps what a process passed.
   *
   * @param fd this object's from now on, also when it is refused
   * @param announced bytes that the process says it has
   * @param most bytes that it may have
   * @throws FallbackException AGENT_BUSY where it is too large; AGENT_UNAVAILABLE where it is no
   *     memory that can be shared safely
   */
  static SegmentMemory map(int fd, long announced, long most) throws FallbackException {
    try {
      long length = SharedMemory.length(fd);
      if (length != announced || length <= Protocol.ALIGNMENT) {
        throw unusable(
            length < 0 ? Errno.text(length) : length + " bytes, announced as " + announced);
      }
      if (length > Math.min(most, Integer.MAX_VALUE)) {
        throw new FallbackException(
            FallbackReason.AGENT_BUSY, "a segment of " + length + " bytes; the limit is " + most);
      }
      long address = SharedMemory.map(fd, length);
      if (address < 0) {
        throw unusable(Errno.text(address));
      }
      ByteBuffer bytes = SharedMemory.bufferOf(address, length);
      if (bytes == null) {
        SharedMemory.unmap(address, length);
        throw unusable("the JVM has no memory for a buffer of " + length + " bytes");
      }
      bytes.order(ByteOrder.nativeOrder());
      // Also when nobody closes it: reads may be under way to it until nobody can reach it.
      Cleaner.Cleanable unmapping =
          CLEANER.register(bytes, () -> SharedMemory.unmap(address, length));
      SegmentMemory memory = new SegmentMemory(fd, address, bytes, unmapping);
      fd = LocalSocket.NO_FD;
      return memory;
    } finally {
      if (fd != LocalSocket.NO_FD) {
        LocalSocket.close(fd);
      }
    }
  }

  private static FallbackException unusable(String what) {
    return new FallbackException(
        FallbackReason.AGENT_UNAVAILABLE, "the process's segment cannot be shared: " + what);
  }

  /** All of it, for one lane, which may change the position and limit of what it gets. */
  ByteBuffer view() {
    return bytes.duplicate().order(ByteOrder.nativeOrder());
  }

  /** Its length. */
  long length() {
    return bytes.capacity();
  }

  /** Whether a range of places lies in it, where READs may write. */
  boolean holds(int at, int room) {
    return at >= Protocol.ALIGNMENT
        && at % Protocol.ALIGNMENT == 0
        && room >= 0
        && room <= bytes.capacity() - at;
  }

  /** Where a byte is mapped, as long as this is not closed. */
  long address(int at) {
    return address + at;
  }

  /**
   * Puts a place as long as a huge page into one.
   *
   * @param at a multiple of it
   * @return as of {@link SharedMemory#collapse}
   */
  int collapse(int at) {
    try {
      return SharedMemory.collapse(address + at, SharedMemory.HUGE_PAGE);
    } finally {
      Reference.reachabilityFence(bytes);
    }
  }

  /** Notes that a lane pins some of it: what is pinned must not be taken back. */
  synchronized void pin() {
    pins++;
  }

  synchronized void unpin() {
    pins--;
  }

  /**
   * Takes its memory back where no lane has any of it pinned and the process says that it uses none
   * of it. If that is not true, its readers find zeroes that match no CRC, and read again.
   */
  synchronized void reclaim() {
    if (pins > 0) {
      return;
    }
    if (bytes.getInt(Protocol.IN_USE_AT) == 0 && SharedMemory.footprint(fd) > Protocol.ALIGNMENT) {
      SharedMemory.release(fd, Protocol.ALIGNMENT, length() - Protocol.ALIGNMENT);
    }
  }

  /**
   * Frees it.
   *
   * @see #abandon
   */
  @Override
  public void close() {
    LocalSocket.close(fd);
    unmapping.clean();
  }

  /** Leaves it to what may still be under way to it, behind which it is freed. */
  void abandon() {
    LocalSocket.close(fd);
  }
}
