// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.micro;

import io.rdio.core.FallbackException;
import io.rdio.core.device.BlockDevice;
import io.rdio.core.device.ReadQueue;
import io.rdio.core.device.RingQueue;
import io.rdio.core.extent.ExtentCursor;
import io.rdio.core.extent.ExtentList;
import java.nio.ByteBuffer;
import java.util.List;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * A block's bytes from start to end and again, straight from the device: 1 MiB at a time and as
 * many under way as a run of RDIO has at first; no CRCs, and nothing is copied. For one thread.
 */
@State(Scope.Thread)
@SuppressWarnings("NullAway.Init") // JMH calls open() first.
public class RawStream {
  private static final int MOST_PIECES = 4;

  private final ExtentCursor cursor = new ExtentCursor();
  private final int[] tickets = new int[RunMemory.WINDOWS * MOST_PIECES];
  private final int[] pieces = new int[RunMemory.WINDOWS];
  private BlockDevice device;
  private ExtentList extents;
  private ReadQueue queue;
  private List<ByteBuffer> windows;
  private long length;
  private long at;
  private int oldest;

  /** Has all windows under way. */
  @Setup(Level.Trial)
  public void open(WarmBlock block) throws FallbackException {
    device = block.device();
    extents = block.map().blockExtents();
    length = block.length();
    queue = new TimedQueue(RingQueue.open(), QueueTimes.OF_THIS_JVM);
    windows = RunMemory.windows();
    windows.forEach(queue::keep);
    for (int i = 0; i < windows.size(); i++) {
      begin(i);
    }
    queue.submit();
  }

  /** Waits for what is under way, and frees the queue. */
  @TearDown(Level.Trial)
  public void close() throws FallbackException {
    for (int i = 0; i < windows.size(); i++) {
      await(i);
    }
    queue.close();
  }

  /** The 1 MiB that follows, good until the next call. */
  ByteBuffer next() throws FallbackException {
    int last = (oldest + windows.size() - 1) % windows.size();
    if (pieces[last] == 0) {
      begin(last);
    }
    await(oldest);
    ByteBuffer window = windows.get(oldest);
    oldest = (oldest + 1) % windows.size();
    return window;
  }

  private void begin(int window) {
    if (at + RunMemory.WINDOW > length) {
      at = 0;
    }
    int count = 0;
    int place = 0;
    cursor.seek(extents, at, RunMemory.WINDOW);
    while (cursor.next()) {
      if (count == MOST_PIECES) {
        throw new IllegalStateException(
            "1 MiB of the block lies in more than " + MOST_PIECES + " pieces, from " + at + " on");
      }
      int bytes = (int) cursor.length();
      int ticket = queue.prepare(device, cursor.physical(), windows.get(window), place, bytes);
      if (ticket == ReadQueue.NONE) {
        throw new IllegalStateException(
            "no read queue takes " + bytes + " bytes at " + cursor.physical());
      }
      tickets[window * MOST_PIECES + count] = ticket;
      count++;
      place += bytes;
    }
    pieces[window] = count;
    at += RunMemory.WINDOW;
  }

  private void await(int window) throws FallbackException {
    int awaited = 0;
    for (int i = 0; i < pieces[window]; i++) {
      awaited += queue.await(tickets[window * MOST_PIECES + i]);
    }
    if (pieces[window] > 0 && awaited != RunMemory.WINDOW) {
      throw new IllegalStateException(
          "only " + awaited + " bytes of 1 MiB were read from " + device.name());
    }
    pieces[window] = 0;
  }
}
