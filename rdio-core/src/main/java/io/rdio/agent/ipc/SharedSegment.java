// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent.ipc;

import io.rdio.nativeio.Errno;
import io.rdio.nativeio.LocalSocket;
import io.rdio.nativeio.SharedMemory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
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
  private final FreePlaces free;

  private SharedSegment(int fd, long length, long address, ByteBuffer head, int places) {
    this.fd = fd;
    this.length = length;
    this.address = address;
    this.head = head;
    this.windows = new Window[places];
    for (int place = 0; place < places; place++) {
      windows[place] = new Window(place);
    }
    this.free = new FreePlaces(places);
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

  /** Places that nobody has, at about this moment. */
  int free() {
    return places() - free.taken();
  }

  /**
   * Takes free places side by side, the lowest ones, which must be given back: for so many bytes of
   * a block or, if there are not so many, for fewer; null if there is none.
   */
  @Nullable Window take(int bytes) {
    int most = Math.min(bytes, Protocol.READ_MAX);
    int taken = free.take(Math.max(1, (most + PLACE_DATA - 1) / PLACE_DATA));
    if (taken == FreePlaces.NONE) {
      return null;
    }
    tellUse();
    return windows[FreePlaces.first(taken)].over(FreePlaces.count(taken));
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
    free.give(window.first(), window.places());
    tellUse();
  }

  /** A hint to the agent: it takes an idle segment's memory back. */
  private void tellUse() {
    head.putInt(Protocol.IN_USE_AT, free.taken());
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
