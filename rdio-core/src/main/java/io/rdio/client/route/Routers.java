// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.route;

import io.rdio.client.counters.ClientCounters;
import io.rdio.core.device.DeviceIdentity;
import io.rdio.core.time.MonotonicClock;
import java.util.Arrays;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The routers of all devices: a read is only ever weighed against reads like it. Thread-safe. */
public final class Routers {
  /** Sets of ranges are weighed by what so many bytes of them take. */
  public static final int UNIT = 1 << 20;

  /**
   * Of a sequential run, how much is weighed, and sent, at a time; in bytes. As much as a run
   * mostly has under way ({@link io.rdio.core.device.DeviceDepth#USUAL}): a device gives all of
   * that at about the same time, so the run waits once in so many bytes, for ten times as long as
   * it takes to copy one MiB, and what it takes for less is chance.
   */
  public static final int RUN_UNIT = 8 << 20;

  /** Positional reads and sets of ranges by the power of two of their size, up to 4 MiB. */
  private static final int SMALLEST = 12;

  private static final int LARGEST = 22;

  // Where a device's routers are: by size, of runs, and by size again.
  private static final int SIZES = LARGEST - SMALLEST + 1;
  private static final int SEQUENTIAL = SIZES;
  private static final int VECTORED = SIZES + 1;

  private final NewReads newReads = new NewReads();
  private final ClientCounters counters;
  private final MonotonicClock clock;
  private final boolean balance;
  private final ConcurrentHashMap<DeviceIdentity, Router[]> routers = new ConcurrentHashMap<>();
  private final ConcurrentHashMap<DeviceIdentity, Together> together = new ConcurrentHashMap<>();

  /**
   * @param clock of back-off
   * @param balance whether positional reads may go both ways at once, and so may runs in order, of
   *     which the DataNode brings ranges ahead
   */
  public Routers(ClientCounters counters, MonotonicClock clock, boolean balance) {
    this.counters = counters;
    this.clock = clock;
    this.balance = balance;
  }

  /** Weighs positional reads of about so many bytes. */
  public Router positional(DeviceIdentity device, int bytes) {
    return of(device)[size(bytes)];
  }

  /** Weighs {@link #RUN_UNIT}s of sequential runs. */
  public Router sequential(DeviceIdentity device) {
    return of(device)[SEQUENTIAL];
  }

  /** Whether sequential runs go by both ways at once; null where they never do. */
  public @Nullable Together together(DeviceIdentity device) {
    return balance ? together.computeIfAbsent(device, any -> new Together()) : null;
  }

  /**
   * Weighs sets of ranges of one block, each as one read: by the time that {@link #UNIT} bytes of
   * it take. A set by the device is under way together, and takes as long as many single reads, so
   * it is never weighed against those.
   *
   * @param bytes of all ranges, about
   */
  public Router vectored(DeviceIdentity device, long bytes) {
    return of(device)[VECTORED + size(bytes)];
  }

  private static int size(long bytes) {
    int power = 63 - Long.numberOfLeadingZeros(Math.max(1, bytes));
    return Math.max(SMALLEST, Math.min(power, LARGEST)) - SMALLEST;
  }

  private Router[] of(DeviceIdentity device) {
    Router[] found = routers.get(device);
    return found != null ? found : routers.computeIfAbsent(device, this::create);
  }

  private Router[] create(DeviceIdentity device) {
    Router[] created = new Router[VECTORED + SIZES];
    Arrays.setAll(created, this::create);
    return created;
  }

  private Router create(int place) {
    if (place < SIZES) {
      return Router.positional(newReads, counters, clock, balance);
    }
    return Router.of(place == SEQUENTIAL ? Weighed.RUNS : Weighed.SETS, newReads, counters, clock);
  }
}
