// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.tune;

import io.rdio.client.ReadGeometry;
import io.rdio.client.read.RunShape;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.device.BlockDevice;
import io.rdio.core.device.ReadQueue;
import io.rdio.core.time.MonotonicClock;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads a device as a sequential reader does, and throws the bytes away: window after window, as
 * many under way as there may be, each awaited in its turn. Never writes. For one thread at a time.
 */
final class DeviceRun {
  private final BlockDevice device;
  private final @Nullable ReadQueue queue;
  private final RunShape shape;
  private final MonotonicClock clock;
  private final ByteBuffer[] windows;
  private final int[] tickets;
  private final long[] begun;
  private long next;

  /**
   * @param queue null where reads follow each other, and then the shape has one window; it is the
   *     caller's
   * @param memory as the device wants it, and enough for the shape
   */
  DeviceRun(
      BlockDevice device,
      @Nullable ReadQueue queue,
      ByteBuffer memory,
      RunShape shape,
      MonotonicClock clock) {
    this.device = device;
    this.queue = queue;
    this.shape = shape;
    this.clock = clock;
    this.windows = new ByteBuffer[shape.windows()];
    this.tickets = new int[shape.windows()];
    this.begun = new long[shape.windows()];
    for (int i = 0; i < windows.length; i++) {
      windows[i] = memory.slice(i * shape.windowBytes(), shape.windowBytes());
      if (queue != null && shape.windowBytes() >= ReadGeometry.WINDOW) {
        queue.keep(windows[i]);
      }
    }
  }

  /** How fast it went, and how long each window was on its way, in nanoseconds. */
  record Result(double bytesPerSecond, List<Long> waits) {}

  /**
   * Reads for some time, and at least each window once.
   *
   * @param from where on the device to begin, anywhere
   * @throws FallbackException DEVICE_IO_ERROR, DEVICE_TIMEOUT, DEVICE_MISMATCH for a device that is
   *     smaller than a window, or INTERRUPTED; reads may then be under way on the queue
   */
  Result run(long from, Duration time) throws FallbackException {
    if (device.sizeBytes() < shape.windowBytes()) {
      throw new FallbackException(
          FallbackReason.DEVICE_MISMATCH,
          device.name() + " has " + device.sizeBytes() + " bytes, less than one window");
    }
    next = from / device.alignment() * device.alignment();
    List<Long> waits = new ArrayList<>();
    long start = clock.nanos();
    long bytes = 0;
    for (int i = 0; i < windows.length; i++) {
      begin(i);
    }
    submit();
    int left = windows.length;
    for (int i = 0; left > 0; i = (i + 1) % windows.length) {
      bytes += await(i);
      waits.add(clock.nanos() - begun[i]);
      if (left == windows.length && clock.nanos() - start < time.toNanos()) {
        begin(i);
        submit();
      } else {
        left--;
      }
    }
    double seconds = Math.max(1, clock.nanos() - start) / 1e9;
    return new Result(bytes / seconds, waits);
  }

  private void begin(int window) throws FallbackException {
    if (next > device.sizeBytes() - shape.windowBytes()) {
      next = 0;
    }
    begun[window] = clock.nanos();
    if (queue == null) {
      device.read(next, windows[window].clear().limit(shape.windowBytes()));
    } else {
      tickets[window] = queue.prepare(device, next, windows[window], 0, shape.windowBytes());
      if (tickets[window] == ReadQueue.NONE) {
        throw new FallbackException(
            FallbackReason.INTERNAL_ERROR,
            "no place for a read of " + device.name() + " at " + next + " as " + shape);
      }
    }
    next += shape.windowBytes();
  }

  private void submit() {
    if (queue != null) {
      queue.submit();
    }
  }

  private int await(int window) throws FallbackException {
    return queue == null ? shape.windowBytes() : queue.await(tickets[window]);
  }
}
