// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.testing;

import io.rdio.core.FallbackException;
import io.rdio.core.device.BlockDevice;
import io.rdio.core.device.ReadQueue;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * A queue on any device whose reads end as late and as much out of order as they may: a random one
 * of those under way, again and again, until the one that is waited for has ended.
 */
public final class DeferredQueue implements ReadQueue {
  private static final int DEPTH = 16;

  private record Read(BlockDevice device, long offset, ByteBuffer target, int at, int length) {
    Ended perform() {
      return new Ended(length, DeferredQueue.perform(this));
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

  private final Random random;
  private final Map<Integer, Read> prepared = new HashMap<>();
  private final Map<Integer, Read> underWay = new HashMap<>();
  private final Map<Integer, Ended> ended = new HashMap<>();
  private boolean closed;

  public DeferredQueue(long seed) {
    random = new Random(seed);
  }

  @Override
  public int prepare(BlockDevice device, long offset, ByteBuffer target, int at, int length) {
    return prepare(new Read(device, offset, target, at, length), DEPTH - 1);
  }

  @Override
  public int prepareAwaited(
      BlockDevice device, long offset, ByteBuffer target, int at, int length) {
    return prepare(new Read(device, offset, target, at, length), DEPTH);
  }

  private int prepare(Read read, int most) {
    requireOpen();
    if (prepared.size() + underWay.size() + ended.size() >= most) {
      return NONE;
    }
    for (int ticket = 0; ticket < DEPTH; ticket++) {
      if (!prepared.containsKey(ticket)
          && !underWay.containsKey(ticket)
          && !ended.containsKey(ticket)) {
        prepared.put(ticket, read);
        return ticket;
      }
    }
    return NONE;
  }

  @Override
  public void submit() {
    requireOpen();
    underWay.putAll(prepared);
    prepared.clear();
  }

  @Override
  public int await(int ticket) throws FallbackException {
    return end(ticket).count();
  }

  private Ended end(int ticket) {
    submit();
    while (!ended.containsKey(ticket)) {
      List<Integer> tickets = new ArrayList<>(underWay.keySet());
      int any = tickets.get(random.nextInt(tickets.size()));
      Read read = underWay.remove(any);
      ended.put(any, read.perform());
    }
    return ended.remove(ticket);
  }

  @Override
  public boolean discard(int ticket) {
    if (prepared.containsKey(ticket) || underWay.containsKey(ticket) || ended.containsKey(ticket)) {
      end(ticket);
    }
    return true;
  }

  @Override
  public boolean poll() {
    submit();
    underWay.forEach((ticket, read) -> ended.put(ticket, read.perform()));
    underWay.clear();
    return true;
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

  public boolean isClosed() {
    return closed;
  }

  private void requireOpen() {
    if (closed) {
      throw new AssertionError("the queue is closed");
    }
  }

  @Override
  public void close() {
    requireOpen();
    closed = true;
    if (!prepared.isEmpty() || !underWay.isEmpty() || !ended.isEmpty()) {
      throw new AssertionError("closed with reads under way");
    }
  }
}
