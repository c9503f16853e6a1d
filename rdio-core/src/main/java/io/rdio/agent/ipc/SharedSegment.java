// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent.ipc;

import io.rdio.nativeio.Errno;
import io.rdio.nativeio.LocalSocket;
import io.rdio.nativeio.SharedMemory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The client's end of a shared segment: places of equal size, one or several side by side for the
 * bytes and the CRCs of one READ. Places are given out from the lowest on, and touched only then,
 * so a process that reads little takes little. Safe for any number of threads, without locks.
 */
final class SharedSegment {
  /** Bytes of block data that each place has room for. */
  static final int PLACE_DATA = 256 << 10;

  /** Bytes of CRCs of one READ. */
  static final int CRC_ROOM = 8 << 10;

  /** How often a waiting thread looks for a place: about as long as a read takes. */
  private static final long LOOK_NANOS = 100_000;

  private static final int PLACE_BYTES = PLACE_DATA + Protocol.SLACK + CRC_ROOM;
  private static final int FIRST_PLACE = Protocol.ALIGNMENT;

  private final int fd;
  private final long length;
  private final long address;
  private final ByteBuffer head;
  private final Window[] windows;

  /** A bit for each place that is free. */
  private final AtomicLong free;

  private SharedSegment(int fd, long length, long address, ByteBuffer head, int places) {
    this.fd = fd;
    this.length = length;
    this.address = address;
    this.head = head;
    this.windows = new Window[places];
    for (int place = 0; place < places; place++) {
      windows[place] = new Window(place);
    }
    this.free = new AtomicLong(places == Long.SIZE ? -1L : (1L << places) - 1);
  }

  /** Bytes of a segment with one place. */
  static long leastBytes() {
    return FIRST_PLACE + PLACE_BYTES;
  }

  /**
   * A new segment.
   *
   * @param most bytes of memory that it may take, at least {@link #leastBytes}
   */
  static SharedSegment create(long most) throws IOException {
    int places = (int) Math.min(Long.SIZE, (most - FIRST_PLACE) / PLACE_BYTES);
    long length = FIRST_PLACE + (long) places * PLACE_BYTES;
    int fd = check(SharedMemory.create(length), "making a shared segment");
    long address = SharedMemory.map(fd, length);
    boolean good = false;
    try {
      if (address < 0) {
        throw new IOException("mapping a shared segment: " + Errno.text(address));
      }
      ByteBuffer head = SharedMemory.bufferOf(address, Protocol.ALIGNMENT);
      if (head == null) {
        throw new IOException("this JVM has no buffers on a shared segment");
      }
      SharedSegment segment =
          new SharedSegment(fd, length, address, head.order(ByteOrder.nativeOrder()), places);
      good = true;
      return segment;
    } finally {
      if (!good) {
        free(fd, address, length);
      }
    }
  }

  private static void free(int fd, long address, long length) {
    if (address >= 0) {
      SharedMemory.unmap(address, length);
    }
    LocalSocket.close(fd);
  }

  int descriptor() {
    return fd;
  }

  long length() {
    return length;
  }

  /** Places in all. */
  int places() {
    return windows.length;
  }

  /**
   * Takes free places side by side, the lowest ones, which must be given back: for so many bytes of
   * a block or, if there are not so many, for fewer; null if there is none.
   */
  @Nullable Window take(int bytes) {
    int most = Math.min(bytes, Protocol.READ_MAX);
    int count = Math.max(1, (most + PLACE_DATA - 1) / PLACE_DATA);
    while (true) {
      long now = free.get();
      if (now == 0) {
        return null;
      }
      long firsts = firstsOf(now, count);
      if (firsts == 0) {
        count--;
        continue;
      }
      int first = Long.numberOfTrailingZeros(firsts);
      long left = now & ~bits(first, count);
      if (free.compareAndSet(now, left)) {
        tellUse(left);
        return windows[first].over(count);
      }
    }
  }

  /** The free places from which on so many are free. */
  private static long firstsOf(long free, int count) {
    long firsts = free;
    for (int i = 1; i < count; i++) {
      firsts &= free >>> i;
    }
    return firsts;
  }

  private static long bits(int first, int count) {
    return ((1L << count) - 1) << first;
  }

  /**
   * Takes places, at least one, that somebody gives back within so long; null if nobody does, or
   * the thread is interrupted, whose flag stays.
   */
  @Nullable Window await(int bytes, long nanos) {
    long end = System.nanoTime() + nanos;
    Window window = take(bytes);
    while (window == null && end - System.nanoTime() > 0) {
      LockSupport.parkNanos(this, LOOK_NANOS);
      if (Thread.currentThread().isInterrupted()) {
        return null;
      }
      window = take(bytes);
    }
    return window;
  }

  /** Gives back what was taken, to which nothing may be under way. */
  void give(Window window) {
    long bits = bits(window.first(), window.places());
    while (true) {
      long now = free.get();
      if (free.compareAndSet(now, now | bits)) {
        tellUse(now | bits);
        return;
      }
    }
  }

  /** A hint to the agent: it takes an idle segment's memory back. */
  private void tellUse(long freeNow) {
    head.putInt(Protocol.IN_USE_AT, windows.length - Long.bitCount(freeNow));
  }

  /** Where in the segment a place begins. */
  static int placeAt(int place) {
    return FIRST_PLACE + place * PLACE_BYTES;
  }

  /** The address of a byte of the segment. */
  long address(int at) {
    return address + at;
  }

  /** Frees it here; nobody may use it any more. */
  void close() {
    free(fd, address, length);
  }

  private static int check(int result, String what) throws IOException {
    if (result < 0) {
      throw new IOException(what + ": " + Errno.text(result));
    }
    return result;
  }
}
