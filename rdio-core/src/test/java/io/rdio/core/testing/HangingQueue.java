// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.testing;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.device.BlockDevice;
import io.rdio.core.device.ReadQueue;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A queue whose reads do not end while its device hangs: whoever waits for one is told at once that
 * the deadline has passed. When it hangs no more, the bytes land where they were asked for, as late
 * as that may be.
 */
public final class HangingQueue implements ReadQueue {
  private record Read(BlockDevice device, long offset, ByteBuffer target, int at, int length) {
    Ended perform() {
      return new Ended(length, HangingQueue.perform(this));
    }
  }

  private record Ended(int length, @Nullable FallbackException failure) {
    int count() throws FallbackException {
      if (failure != null) {
        throw failure;
      }
      return length;
    }
  }

  private final AtomicBoolean hangs;
  private final Runnable whileWaiting;
  private final Map<Integer, Read> underWay = new HashMap<>();
  private final Map<Integer, Ended> ended = new HashMap<>();
  private int tickets;

  public HangingQueue(AtomicBoolean hangs) {
    this(hangs, () -> {});
  }

  /**
   * @param whileWaiting what happens while somebody waits for a read whose bytes nobody wants
   */
  public HangingQueue(AtomicBoolean hangs, Runnable whileWaiting) {
    this.hangs = hangs;
    this.whileWaiting = whileWaiting;
  }

  @Override
  public int prepare(BlockDevice device, long offset, ByteBuffer target, int at, int length) {
    underWay.put(tickets, new Read(device, offset, target, at, length));
    return tickets++;
  }

  @Override
  public int prepareAwaited(
      BlockDevice device, long offset, ByteBuffer target, int at, int length) {
    return prepare(device, offset, target, at, length);
  }

  @Override
  public boolean givesUp() {
    return true;
  }

  @Override
  public void submit() {}

  @Override
  public int await(int ticket) throws FallbackException {
    poll();
    if (underWay.containsKey(ticket)) {
      throw new FallbackException(FallbackReason.DEVICE_TIMEOUT, "hangs");
    }
    return ended.remove(ticket).count();
  }

  @Override
  public boolean discard(int ticket) {
    poll();
    ended.remove(ticket);
    if (!underWay.containsKey(ticket)) {
      return true;
    }
    whileWaiting.run();
    return false;
  }

  @Override
  public boolean poll() {
    if (!hangs.get()) {
      for (Iterator<Map.Entry<Integer, Read>> i = underWay.entrySet().iterator(); i.hasNext(); ) {
        Map.Entry<Integer, Read> read = i.next();
        ended.put(read.getKey(), read.getValue().perform());
        i.remove();
      }
    }
    return underWay.isEmpty();
  }

  /** What the device says; null if it has read all. */
  private static @Nullable FallbackException perform(Read read) {
    try {
      read.device.read(
          read.offset, read.target.duplicate().limit(read.at + read.length).position(read.at));
      return null;
    } catch (FallbackException e) {
      return e;
    }
  }

  @Override
  public void close() {
    if (!underWay.isEmpty()) {
      throw new AssertionError("closed with reads under way");
    }
  }
}
