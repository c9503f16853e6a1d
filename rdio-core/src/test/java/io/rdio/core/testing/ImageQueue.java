// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.testing;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.device.BlockDevice;
import io.rdio.core.device.ReadQueue;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.function.IntUnaryOperator;

/**
 * A queue with few places that reads an image by itself, and never the device: so whatever the
 * device counts was read past the queue. A read brings its bytes when it is waited for, as many as
 * the queue is told.
 */
public final class ImageQueue implements ReadQueue {
  /** In place of a count of bytes: the read does not end, and whoever waits for it gives up. */
  public static final int HANGS = -1;

  private record Read(long offset, ByteBuffer target, int at, int length) {}

  private final byte[] image;
  private final int places;
  private final IntUnaryOperator bytesOf;
  private final Map<Integer, Read> underWay = new HashMap<>();
  private int tickets;
  private int awaitedOnly;

  /**
   * @param places reads that can be under way, the one that is awaited at once included
   * @param bytesOf how many bytes come of a read of so many, or {@link #HANGS}
   */
  public ImageQueue(byte[] image, int places, IntUnaryOperator bytesOf) {
    this.image = image;
    this.places = places;
    this.bytesOf = bytesOf;
  }

  /** Reads so far for which only the last place was left. */
  public int awaitedOnly() {
    return awaitedOnly;
  }

  /** Reads so far. */
  public int begun() {
    return tickets;
  }

  @Override
  public int prepare(BlockDevice device, long offset, ByteBuffer target, int at, int length) {
    if (underWay.size() >= places - 1) {
      return NONE;
    }
    underWay.put(tickets, new Read(offset, target, at, length));
    return tickets++;
  }

  @Override
  public int prepareAwaited(
      BlockDevice device, long offset, ByteBuffer target, int at, int length) {
    if (underWay.size() >= places) {
      throw new AssertionError("more than one read is awaited at a time");
    }
    awaitedOnly += underWay.size() == places - 1 ? 1 : 0;
    underWay.put(tickets, new Read(offset, target, at, length));
    return tickets++;
  }

  @Override
  public boolean givesUp() {
    return true;
  }

  @Override
  public void submit() {}

  @Override
  public int await(int ticket) throws FallbackException {
    Read read = underWay.get(ticket);
    int count = bytesOf.applyAsInt(read.length);
    if (count == HANGS) {
      throw new FallbackException(FallbackReason.DEVICE_TIMEOUT, "hangs");
    }
    underWay.remove(ticket);
    read.target.duplicate().clear().position(read.at).put(image, (int) read.offset, count);
    return count;
  }

  @Override
  public boolean discard(int ticket) {
    underWay.remove(ticket);
    return true;
  }

  @Override
  public boolean poll() {
    return true;
  }

  @Override
  public void close() {
    if (!underWay.isEmpty()) {
      throw new AssertionError("closed with reads under way");
    }
  }
}
