// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.tune;

import io.rdio.client.read.RunShape;
import io.rdio.core.FallbackException;
import io.rdio.core.device.BlockDevice;
import io.rdio.core.device.HugeBuffers;
import io.rdio.core.device.ReadQueue;
import io.rdio.core.time.MonotonicClock;
import io.rdio.nativeio.HugeMemory;
import io.rdio.nativeio.NativeLibrary;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * Tries ways of reading a device, several times each and by turns, for what else the device does
 * meanwhile is not to count for one of them. Each run begins anywhere on the device, so that none
 * finds in a cache what another one has read. For one thread at a time.
 */
public final class Tuning {
  /** How often each is tried. */
  static final int ROUNDS = 3;

  /** What is as good as the best, as a share of it. */
  static final double GOOD = 0.95;

  private final MonotonicClock clock;
  private final Random random;
  private final Duration each;
  private final Duration all;

  /** Opens queues for reads of a device. */
  @FunctionalInterface
  public interface Queues {
    /** A new one, the caller's, who closes it also where reads on it were given up. */
    ReadQueue open() throws FallbackException;
  }

  /** How a device is read. */
  @FunctionalInterface
  interface Runs {
    DeviceRun.Result run(RunShape shape, long from, Duration time) throws FallbackException;
  }

  /**
   * What came of one shape.
   *
   * @param bytesPerSecond the median of its rounds
   * @param p50Nanos how long half of the windows were on their way at most
   */
  public record Figure(RunShape shape, double bytesPerSecond, long p50Nanos) {}

  /**
   * @param each how long one run takes, but for the windows that it then has under way
   * @param all behind this no further run is begun; shapes may be without a figure then
   */
  public Tuning(MonotonicClock clock, Random random, Duration each, Duration all) {
    this.clock = clock;
    this.random = random;
    this.each = each;
    this.all = all;
  }

  /**
   * Reads a device by each of some shapes, in memory of its own: enough for the largest.
   *
   * @param queues where the queue of each run comes from; null where reads follow each other
   * @return at least one, in their order, each shape once
   * @throws FallbackException why the device cannot be read; a run that does not end is the queue's
   *     to give up
   */
  public List<Figure> measure(BlockDevice device, List<RunShape> shapes, @Nullable Queues queues)
      throws FallbackException {
    long most = shapes.stream().mapToLong(RunShape::bytes).max().orElseThrow();
    ByteBuffer memory = memory(Math.toIntExact(most), device.alignment());
    return measure(
        shapes,
        (shape, from, time) -> {
          if (queues == null) {
            return new DeviceRun(device, null, memory, shape, clock).run(from, time);
          }
          try (ReadQueue queue = queues.open()) {
            return new DeviceRun(device, queue, memory, shape, clock).run(from, time);
          }
        },
        device.sizeBytes());
  }

  /** In huge pages where there are any, as readers have it: that makes a difference. */
  private static ByteBuffer memory(int bytes, int alignment) {
    int pages = (bytes + HugeMemory.PAGE - 1) / HugeMemory.PAGE;
    boolean possible = NativeLibrary.availability().isAvailable();
    ByteBuffer huge = possible ? HugeBuffers.allocate(pages * HugeMemory.PAGE) : null;
    return huge != null
        ? huge
        : ByteBuffer.allocateDirect(bytes + alignment).alignedSlice(alignment);
  }

  /** The same, whatever reads. */
  List<Figure> measure(List<RunShape> shapes, Runs runs, long sizeBytes) throws FallbackException {
    Map<RunShape, List<DeviceRun.Result>> results = new LinkedHashMap<>();
    long start = clock.nanos();
    for (int round = 0; round < ROUNDS; round++) {
      for (RunShape shape : new LinkedHashSet<>(shapes)) {
        if (results.isEmpty() || clock.nanos() - start < all.toNanos()) {
          DeviceRun.Result result = runs.run(shape, place(sizeBytes), each);
          results.computeIfAbsent(shape, first -> new ArrayList<>()).add(result);
        }
      }
    }
    List<Figure> figures = new ArrayList<>();
    results.forEach((shape, runsOfIt) -> figures.add(figure(shape, runsOfIt)));
    return figures;
  }

  private long place(long sizeBytes) {
    return (long) (random.nextDouble() * sizeBytes);
  }

  private static Figure figure(RunShape shape, List<DeviceRun.Result> runs) {
    double[] speeds =
        runs.stream().mapToDouble(DeviceRun.Result::bytesPerSecond).sorted().toArray();
    long[] waits =
        runs.stream()
            .flatMap(run -> run.waits().stream())
            .mapToLong(wait -> wait)
            .sorted()
            .toArray();
    return new Figure(shape, speeds[speeds.length / 2], waits[waits.length / 2]);
  }

  /**
   * The one with the fewest bytes under way of those that are nearly as fast as the fastest; of
   * equal ones the faster.
   *
   * @param figures at least one
   */
  public static Figure smallestGood(List<Figure> figures) {
    double best = figures.stream().mapToDouble(Figure::bytesPerSecond).max().orElseThrow();
    return figures.stream()
        .filter(figure -> figure.bytesPerSecond() >= GOOD * best)
        .min(
            Comparator.comparingLong((Figure figure) -> figure.shape().bytes())
                .thenComparing(Figure::bytesPerSecond, Comparator.reverseOrder()))
        .orElseThrow();
  }
}
