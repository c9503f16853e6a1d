// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import io.rdio.client.counters.ClientCounters;
import io.rdio.client.route.Routers;
import io.rdio.client.route.Together;
import io.rdio.core.testing.Stepper;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Runs whose reader goes on as soon as it has a window, by a device that reads a few windows ahead,
 * one after the other, and by a second way, on a clock of their own. What decides and what brings
 * ranges is the real thing; the second way runs on its thread only while the clock stands.
 */
final class SharedRunSimulation {
  static final int UNIT = 1 << 20;
  static final int BLOCK = 128;

  private static final int DEPTH = 8;
  private static final long OPEN_NANOS = 500_000;
  private static final long COPY_NANOS = 100_000;
  private static final long LEAST_PATIENCE = 1_000_000;
  private static final long NEVER = Long.MAX_VALUE;

  /** Of all simulations, for its memory is never given back. */
  static final WindowPool WINDOWS = new WindowPool(512L << 20, UNIT, new ClientCounters());

  /** A window under way on the device. */
  private record Window(long end, long doneNanos) {}

  final Together together = new Together();
  final Way way = new Way();
  private final Deque<Window> row = new ArrayDeque<>();
  private final ByteBuffer target = ByteBuffer.allocate(UNIT);
  private final long deviceNanos;
  private long now;
  private long deviceFree;
  private long unitBegan;
  private int unitBytes;
  private boolean mixed;
  private long byWay;
  private int wrong;

  /**
   * @param deviceNanos for a unit
   * @param wayNanos for a unit by the second way, besides what it takes to open it for a range
   */
  SharedRunSimulation(long deviceNanos, long wayNanos) {
    this.deviceNanos = deviceNanos;
    way.nanos = wayNanos;
  }

  /** The second way, and the thread that it is read by. */
  final class Way implements SecondWay, Executor {
    long nanos;
    boolean fails;
    boolean isSilent;
    private @Nullable Stepper<Boolean> filler;
    private boolean steps;
    private long until;
    private long filledTo;

    @Override
    public void execute(Runnable fill) {
      filler =
          new Stepper<>(
              () -> {
                fill.run();
                return true;
              });
      until = now;
      step();
    }

    private boolean isBusy() {
      return filler != null && !filler.isDone();
    }

    private void step() {
      steps = true;
      filler.step();
      steps = false;
    }

    /** Brings all that is here by now. */
    private void comeTo(long time) {
      while (isBusy() && until <= time) {
        step();
      }
    }

    private void end() {
      if (filler != null) {
        filler.close();
      }
      filledTo = 0;
    }

    @Override
    public Range open(long start, long end) throws IOException {
      if (fails) {
        throw new IOException("as told");
      }
      until += OPEN_NANOS;
      return new Brought();
    }

    private final class Brought implements Range {
      private volatile boolean closed;

      @Override
      public void read(long offset, ByteBuffer to) throws IOException {
        int bytes = to.remaining();
        to.putLong(to.position(), offset).position(to.limit());
        until = isSilent ? NEVER : until + nanos * bytes / UNIT;
        filler.pause();
        if (closed) {
          throw new IOException("closed");
        }
        filledTo = offset + bytes;
      }

      @Override
      public void close() {
        closed = true;
        until = Math.min(until, now);
      }
    }
  }

  private long time() {
    return way.steps ? way.until : now;
  }

  /** How long so many blocks take. */
  long nanos(int blocks) {
    long began = now;
    for (int i = 0; i < blocks; i++) {
      block();
    }
    return now - began;
  }

  /** Share of all bytes that came by the second way, of so many blocks. */
  double share(int blocks) {
    return (double) byWay / ((double) blocks * BLOCK * UNIT);
  }

  /** Reads that brought other bytes than those of their place. */
  int wrong() {
    return wrong;
  }

  private void block() {
    row.clear();
    long length = (long) BLOCK * UNIT;
    try (SharedRun run = new SharedRun(WINDOWS, this::time, way, way, together)) {
      for (long at = 0; at < length; ) {
        way.comeTo(now);
        mixed |= run.hasRanges();
        long end = run.endOf(at);
        int count =
            end == SharedRun.NOWHERE ? byDevice(run, at, length) : byWay(run, at, (int) (end - at));
        at += count;
        if (run.takeFailure() != null) {
          together.failed();
        }
        passed(run, count);
      }
    }
    way.end();
  }

  private void passed(SharedRun run, int bytes) {
    unitBytes += bytes;
    if (unitBytes >= Routers.RUN_UNIT) {
      long nanos = (now - unitBegan) * Routers.RUN_UNIT / unitBytes;
      together.unit(nanos, mixed || run.hasRanges());
      unitBegan = now;
      unitBytes = 0;
      mixed = false;
    }
  }

  /** As a ReadAhead does. */
  private int byDevice(SharedRun run, long at, long length) {
    while (!row.isEmpty() && row.peekFirst().end() <= at) {
      row.removeFirst();
    }
    long next = row.isEmpty() ? at : run.past(at, row.peekLast().end(), length, 512);
    while (row.isEmpty() || (row.size() < DEPTH && next < length)) {
      deviceFree = Math.max(deviceFree, now) + deviceNanos;
      row.addLast(new Window(next + UNIT, deviceFree));
      next = run.past(at, next + UNIT, length, 512);
    }
    Window first = row.peekFirst();
    now = Math.max(now, first.doneNanos()) + COPY_NANOS;
    return (int) (first.end() - at);
  }

  /** Waits for it as long as the device would take, and has that read the rest then. */
  private int byWay(SharedRun run, long at, int rest) {
    long limit = now + Math.max(LEAST_PATIENCE, deviceNanos * (DEPTH + rest / UNIT));
    while (way.filledTo <= at && way.isBusy() && way.until <= limit) {
      now = Math.max(now, way.until);
      way.comeTo(now);
    }
    if (way.filledTo <= at && way.isBusy()) {
      now = limit;
    }
    target.clear().limit(Math.min(rest, UNIT - unitBytes % UNIT));
    int count = run.read(at, target, 0);
    if (count == 0) {
      deviceFree = Math.max(deviceFree, now) + deviceNanos * rest / UNIT;
      now = deviceFree + COPY_NANOS * rest / UNIT;
      return rest;
    }
    wrong += target.getLong(0) == at || at % (256 << 10) != 0 ? 0 : 1;
    byWay += count;
    now += COPY_NANOS * count / UNIT;
    return count;
  }
}
