// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.client;

import io.rdio.bench.client.DeviceLayout.Extent;
import io.rdio.bench.client.DeviceLayout.Extents;
import io.rdio.nativeio.DirectReader;
import io.rdio.nativeio.Ring;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/** A file's extents from the first to the last, {@value #DEPTH} reads under way by io_uring. */
final class DeviceStream implements ReadWay.Stream {
  private static final long FOR_AS_LONG_AS_IT_TAKES = -1;
  private static final int DEPTH = 8;
  private static final int PIECE_BYTES = 1 << 20;
  private static final long PENDING = Long.MIN_VALUE;

  private final int fd;
  private final Extents extents;
  private final String name;
  private final long ring;
  private final ByteBuffer completions =
      ByteBuffer.allocateDirect(DEPTH * Ring.COMPLETION_BYTES).order(ByteOrder.nativeOrder());
  private final long completionsAddress = DirectReader.addressOf(completions);
  private final ByteBuffer[] buffers;
  private final Queue<ByteBuffer[]> spareBuffers;
  private final long[] results = new long[DEPTH];
  private final int[] lengths = new int[DEPTH];

  private int index; // of the extent that is asked for
  private long asked; // bytes of the file, from its start
  private long begun; // pieces
  private long given; // pieces
  private long givenBytes;

  /**
   * Begins to read.
   *
   * @param spareBuffers to read to and, at the end, to give back to: no pass is to pay for them
   */
  DeviceStream(int fd, Extents extents, String name, Queue<ByteBuffer[]> spareBuffers)
      throws IOException {
    this.fd = fd;
    this.extents = extents;
    this.name = name;
    this.spareBuffers = spareBuffers;
    ByteBuffer[] spare = spareBuffers.poll();
    buffers = spare != null ? spare : newBuffers();
    ring = Ring.create(DEPTH);
    DeviceWay.check((int) Math.min(ring, 0), "the raw device needs io_uring");
    while (begun < DEPTH && prepare()) {
      // The next one.
    }
    enter(0);
  }

  private static ByteBuffer[] newBuffers() {
    ByteBuffer[] buffers = new ByteBuffer[DEPTH];
    Arrays.setAll(buffers, i -> DeviceWay.aligned(PIECE_BYTES));
    return buffers;
  }

  /** Prepares the next piece; false if there is none. */
  private boolean prepare() throws IOException {
    if (asked >= extents.length()) {
      return false;
    }
    if (asked == extents.list().get(index).end()) {
      index++;
    }
    Extent extent = extents.list().get(index);
    int slot = (int) (begun % DEPTH);
    int length = (int) Math.min(PIECE_BYTES, extent.end() - asked);
    long address = DirectReader.addressOf(buffers[slot]);
    long offset = extent.onDeviceOf(asked);
    DeviceWay.check(
        Ring.prepare(ring, fd, address, length, offset, slot, Ring.UNPINNED), "read of " + name);
    results[slot] = PENDING;
    lengths[slot] = length;
    asked += length;
    begun++;
    return true;
  }

  private void enter(int waitFor) throws IOException {
    int told =
        DeviceWay.check(
            Ring.enter(ring, waitFor, FOR_AS_LONG_AS_IT_TAKES, completionsAddress, DEPTH),
            "io_uring");
    int count = told & ~Ring.LEFT; // what is left is begun by the call that waits for it
    for (int i = 0; i < count; i++) {
      int slot = (int) completions.getLong(i * Ring.COMPLETION_BYTES);
      results[slot] = completions.getLong(i * Ring.COMPLETION_BYTES + Long.BYTES);
    }
  }

  @Override
  public @Nullable ByteBuffer next() throws IOException {
    // What was given last is not needed any more: its buffer is the one that is free.
    if (given > 0 && prepare()) {
      enter(0);
    }
    if (given == begun) {
      return null;
    }
    int slot = (int) (given % DEPTH);
    while (results[slot] == PENDING) {
      enter(1);
    }
    DeviceWay.check((int) Math.min(results[slot], 0), "read of " + name);
    if (results[slot] != lengths[slot]) {
      throw new IOException("read of " + name + ": the device ends in it");
    }
    given++;
    int count = (int) Math.min(lengths[slot], extents.length() - givenBytes);
    givenBytes += count;
    return buffers[slot].limit(PIECE_BYTES).position(0).limit(count);
  }

  @Override
  public void close() throws IOException {
    for (long piece = given; piece < begun; piece++) {
      while (results[(int) (piece % DEPTH)] == PENDING) {
        enter(1);
      }
    }
    Ring.destroy(ring);
    spareBuffers.add(buffers);
  }
}
