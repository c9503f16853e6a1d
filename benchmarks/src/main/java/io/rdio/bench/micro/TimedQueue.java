// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.micro;

import io.rdio.core.FallbackException;
import io.rdio.core.device.BlockDevice;
import io.rdio.core.device.ReadQueue;
import java.nio.ByteBuffer;

/**
 * A queue that says how long its thread asked devices, and how long it waited for them. To tell
 * these apart it begins what is prepared before it waits, which costs a system call more than the
 * queue itself, that does both by one.
 */
final class TimedQueue implements ReadQueue {
  private final ReadQueue queue;
  private final QueueTimes times;

  /**
   * @param queue which is closed together with this
   */
  TimedQueue(ReadQueue queue, QueueTimes times) {
    this.queue = queue;
    this.times = times;
  }

  @Override
  public int prepare(BlockDevice device, long offset, ByteBuffer target, int at, int length) {
    long begun = times.now();
    int ticket = queue.prepare(device, offset, target, at, length);
    times.submittedSince(begun);
    return ticket;
  }

  @Override
  public int prepareAwaited(
      BlockDevice device, long offset, ByteBuffer target, int at, int length) {
    long begun = times.now();
    int ticket = queue.prepareAwaited(device, offset, target, at, length);
    times.submittedSince(begun);
    return ticket;
  }

  @Override
  public boolean keep(ByteBuffer memory) {
    return queue.keep(memory);
  }

  @Override
  public boolean givesUp() {
    return queue.givesUp();
  }

  @Override
  public void submit() {
    long begun = times.now();
    queue.submit();
    times.submittedSince(begun);
  }

  @Override
  public int await(int ticket) throws FallbackException {
    submit();
    long begun = times.now();
    try {
      return queue.await(ticket);
    } finally {
      times.waitedSince(begun);
    }
  }

  @Override
  public long waitedNanos() {
    return queue.waitedNanos();
  }

  @Override
  public boolean discard(int ticket) {
    long begun = times.now();
    boolean ended = queue.discard(ticket);
    times.waitedSince(begun);
    return ended;
  }

  @Override
  public void rest() {
    queue.rest();
  }

  @Override
  public void resume() {
    queue.resume();
  }

  @Override
  public boolean poll() {
    return queue.poll();
  }

  @Override
  public void close() {
    queue.close();
  }
}
