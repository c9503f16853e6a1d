// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.tune;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.client.read.RunShape;
import io.rdio.client.tune.Tuning.Figure;
import io.rdio.core.testing.DeferredQueue;
import io.rdio.core.testing.ManualClock;
import io.rdio.core.testing.MemoryDevice;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Which way of reading a device is chosen, and how that is found out. */
class TuningTest {
  private static final int MB = 1 << 20;
  private static final Duration EACH = Duration.ofMillis(250);

  private final ManualClock clock = new ManualClock();
  private final List<RunShape> runs = new ArrayList<>();

  private static RunShape shape(int kilobytes, int windows) {
    return new RunShape(kilobytes << 10, windows);
  }

  private static Figure figure(RunShape shape, double speed) {
    return new Figure(shape, speed, 1);
  }

  @Test
  void fewestBytesWithinFivePercentOfTheBestAreChosen() {
    Figure chosen =
        Tuning.smallestGood(
            List.of(
                figure(shape(256, 1), 940),
                figure(shape(256, 2), 951),
                figure(shape(256, 4), 990),
                figure(shape(1024, 4), 1000)));
    assertThat(chosen.shape()).isEqualTo(shape(256, 2));
  }

  @Test
  void ofAsManyBytesTheFasterAreChosen() {
    Figure chosen =
        Tuning.smallestGood(
            List.of(
                figure(shape(256, 16), 980),
                figure(shape(1024, 4), 1000),
                figure(shape(512, 8), 990),
                figure(shape(2048, 4), 1000)));
    assertThat(chosen.shape()).isEqualTo(shape(1024, 4));
  }

  /** Reads that take time, and are slow in one round. */
  private DeviceRun.Result run(RunShape shape, Duration time) {
    runs.add(shape);
    clock.advance(time);
    int round = (runs.size() - 1) / 2;
    return new DeviceRun.Result(
        round == 1 ? 1 : 100 * shape.windows() + round, List.of(5L, 1L, 9L + round));
  }

  @Test
  void shapesTakeTurnsAndTheirMedianCounts() throws Exception {
    List<Figure> figures =
        new Tuning(clock, new Random(1), EACH, Duration.ofSeconds(60))
            .measure(
                List.of(shape(256, 1), shape(256, 2), shape(256, 1)),
                (shape, from, time) -> run(shape, time),
                100 * MB);
    assertThat(runs)
        .containsExactly(
            shape(256, 1),
            shape(256, 2),
            shape(256, 1),
            shape(256, 2),
            shape(256, 1),
            shape(256, 2));
    assertThat(figures)
        .containsExactly(new Figure(shape(256, 1), 100, 5), new Figure(shape(256, 2), 200, 5));
  }

  @Test
  void noRunIsBegunWhenTheTimeIsOver() throws Exception {
    List<Figure> figures =
        new Tuning(clock, new Random(1), EACH, EACH.multipliedBy(3))
            .measure(
                List.of(shape(256, 1), shape(256, 2)),
                (shape, from, time) -> run(shape, time),
                100 * MB);
    assertThat(runs).hasSize(3);
    assertThat(figures).extracting(Figure::shape).containsExactly(shape(256, 1), shape(256, 2));
  }

  @Test
  void oneIsMeasuredHoweverSlowTheDevice() throws Exception {
    List<Figure> figures =
        new Tuning(clock, new Random(1), EACH, Duration.ZERO)
            .measure(
                List.of(shape(256, 1), shape(256, 2)),
                (shape, from, time) -> run(shape, time),
                100 * MB);
    assertThat(figures).extracting(Figure::shape).containsExactly(shape(256, 1));
  }

  @Test
  void runsBeginAnywhereOnTheDevice() throws Exception {
    List<Long> places = new ArrayList<>();
    new Tuning(clock, new Random(1), EACH, Duration.ofSeconds(60))
        .measure(
            List.of(shape(256, 1), shape(256, 2)),
            (shape, from, time) -> {
              places.add(from);
              return run(shape, time);
            },
            100 * MB);
    assertThat(places).doesNotHaveDuplicates().allMatch(at -> at >= 0 && at < 100 * MB);
  }

  @Test
  void deviceIsReadByQueuesThatAreClosed() throws Exception {
    MemoryDevice device = new MemoryDevice(new byte[3 * MB], 4096);
    List<DeferredQueue> queues = new ArrayList<>();
    List<Figure> figures =
        new Tuning(System::nanoTime, new Random(1), Duration.ofMillis(5), Duration.ofSeconds(60))
            .measure(
                device,
                List.of(shape(64, 8), shape(1024, 2)),
                () -> {
                  queues.add(new DeferredQueue(queues.size()));
                  return queues.get(queues.size() - 1);
                });
    assertThat(figures).extracting(Figure::shape).containsExactly(shape(64, 8), shape(1024, 2));
    assertThat(queues).hasSize(2 * Tuning.ROUNDS).allMatch(DeferredQueue::isClosed);
    assertThat(device.reads()).isGreaterThanOrEqualTo(Tuning.ROUNDS * (8 + 2));
  }

  @Test
  void deviceIsReadWithoutAQueue() throws Exception {
    MemoryDevice device = new MemoryDevice(new byte[MB], 512);
    assertThat(
            new Tuning(System::nanoTime, new Random(1), Duration.ofMillis(5), EACH)
                .measure(device, List.of(shape(256, 1)), null))
        .singleElement()
        .satisfies(figure -> assertThat(figure.bytesPerSecond()).isPositive());
    assertThat(device.reads()).isGreaterThan(1);
  }
}
