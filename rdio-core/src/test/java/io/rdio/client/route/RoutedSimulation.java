// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.route;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SplittableRandom;

/**
 * Readers that go on as soon as they have what they asked for, on a clock of their own. Each of the
 * two ways serves a few reads at a time and lets others wait; a read takes a log-normal time, of
 * which one in a hundred is eight times longer. A DataNode is cold to a reader that did not come
 * for a while: its next few reads take three times as long.
 *
 * <p>The same seed gives the same reads.
 */
final class RoutedSimulation {
  private static final double SIGMA = 0.4;
  private static final double TAIL = 8;
  private static final double TAIL_SHARE = 0.01;
  private static final int COLD_READS = 8;
  private static final double COLD = 3;
  private static final double PAUSE = 1_500_000;
  private static final double MISS_SHARE = 0.25;

  /**
   * What a read takes each way, on average and without a queue, in nanoseconds.
   *
   * @param missNanos that every fourth read by the DataNode takes longer: its page cache lacks it
   */
  record Phase(String name, long deviceNanos, long dataNodeNanos, long missNanos) {
    Phase(String name, long deviceNanos, long dataNodeNanos) {
      this(name, deviceNanos, dataNodeNanos, 0);
    }

    @Override
    public String toString() {
      return name;
    }
  }

  /**
   * Who reads.
   *
   * @param deviceChannels reads that the device serves at a time; the DataNode serves two
   * @param pause without a read by the DataNode, in nanoseconds, behind which it is cold to a
   *     reader; 0 if any read by the device in between makes it so
   * @param cold what reads take longer besides
   */
  record Setup(int readers, int deviceChannels, long pause, Cold cold) {
    Setup(int readers, int deviceChannels, long pause) {
      this(readers, deviceChannels, pause, new Cold(0, 0, 0, 0));
    }

    /** The same with everything warm. */
    Setup warm() {
      return new Setup(readers, deviceChannels, pause);
    }
  }

  /**
   * What makes reads slower.
   *
   * @param newReads by the DataNode, of all readers, until the JVM has compiled what they run
   * @param newNanos that the first of these takes longer; then less and less
   * @param deviceNanos that a read by the device takes longer behind one by the DataNode
   * @param pauses of the JVM that come in the first reads by the device, one in twenty of so many
   */
  record Cold(int newReads, long newNanos, long deviceNanos, int pauses) {}

  /** What reads go by: a router, or always the same way. */
  interface Chooser {
    Route choose();

    int begin(Route route);

    void end(Route route, int began, long nanos);
  }

  private record Read(int reader, Route route, int began, long from, long end) {}

  private final Chooser chooser;
  private final Setup setup;
  private final SplittableRandom random;
  private final long[][] free;
  private final long[] lastUse;
  private final int[] cold;
  private final boolean[] lastByDataNode;
  private int dataNodeReads;
  private int deviceReads;

  private RoutedSimulation(Chooser chooser, Setup setup, long seed) {
    this.chooser = chooser;
    this.setup = setup;
    this.random = new SplittableRandom(seed);
    this.free = new long[][] {new long[setup.deviceChannels()], new long[2]};
    this.lastUse = new long[setup.readers()];
    this.cold = new int[setup.readers()];
    this.lastByDataNode = new boolean[setup.readers()];
    Arrays.fill(cold, COLD_READS);
  }

  static Chooser by(Router router) {
    return new Chooser() {
      @Override
      public Route choose() {
        return router.choose();
      }

      @Override
      public int begin(Route route) {
        return router.begin(route);
      }

      @Override
      public void end(Route route, int began, long nanos) {
        router.end(route);
        router.sample(route, began, nanos);
      }
    };
  }

  static Chooser always(Route route) {
    return new Chooser() {
      @Override
      public Route choose() {
        return route;
      }

      @Override
      public int begin(Route any) {
        return 1;
      }

      @Override
      public void end(Route any, int began, long nanos) {}
    };
  }

  /** Reads done in each phase, each of which takes so long. */
  static long[] reads(Chooser chooser, Setup setup, List<Phase> phases, long nanos, long seed) {
    return new RoutedSimulation(chooser, setup, seed).run(phases, nanos);
  }

  private long[] run(List<Phase> phases, long nanos) {
    long[] done = new long[phases.size()];
    PriorityQueue<Read> underWay = new PriorityQueue<>(Comparator.comparingLong(Read::end));
    for (int i = 0; i < setup.readers(); i++) {
      underWay.add(begin(i, 0, phases.get(0)));
    }
    while (true) {
      Read read = underWay.remove();
      int phase = (int) (read.end() / nanos);
      if (phase >= phases.size()) {
        return done;
      }
      done[phase]++;
      chooser.end(read.route(), read.began(), read.end() - read.from());
      underWay.add(begin(read.reader(), read.end(), phases.get(phase)));
    }
  }

  private Read begin(int reader, long now, Phase phase) {
    Route route = chooser.choose();
    long mean = route == Route.DEVICE ? phase.deviceNanos() : phase.dataNodeNanos();
    double service =
        (double) mean * oneOnAverage() * warmth(route, reader, now)
            + coldNanos(route, reader)
            + missNanos(route, phase);
    long[] channels = free[route == Route.DEVICE ? 0 : 1];
    int soonest = 0;
    for (int i = 1; i < channels.length; i++) {
      soonest = channels[i] < channels[soonest] ? i : soonest;
    }
    long end = Math.max(now, channels[soonest]) + Math.max(1, (long) service);
    channels[soonest] = end;
    return new Read(reader, route, chooser.begin(route), now, end);
  }

  private double warmth(Route route, int reader, long now) {
    if (route == Route.DEVICE) {
      cold[reader] = setup.pause() == 0 ? COLD_READS : cold[reader];
      return 1;
    }
    if (setup.pause() > 0 && now - lastUse[reader] > setup.pause()) {
      cold[reader] = COLD_READS;
    }
    lastUse[reader] = now;
    return cold[reader]-- > 0 ? COLD : 1;
  }

  private double coldNanos(Route route, int reader) {
    Cold by = setup.cold();
    boolean before = lastByDataNode[reader];
    lastByDataNode[reader] = route == Route.DATANODE;
    if (route == Route.DEVICE) {
      boolean pauses = deviceReads++ < by.pauses() && random.nextInt(20) == 0;
      return (before ? (double) by.deviceNanos() : 0) + (pauses ? PAUSE : 0);
    }
    int left = by.newReads() - dataNodeReads++;
    return left > 0 ? (double) by.newNanos() * left / by.newReads() : 0;
  }

  private double missNanos(Route route, Phase phase) {
    boolean misses =
        route == Route.DATANODE && phase.missNanos() > 0 && random.nextDouble() < MISS_SHARE;
    return misses ? (double) phase.missNanos() : 0;
  }

  private double oneOnAverage() {
    double normal = gaussian();
    double body = StrictMath.exp(SIGMA * normal - SIGMA * SIGMA / 2);
    double tail = random.nextDouble() < TAIL_SHARE ? TAIL : 1;
    return body * tail / (1 + TAIL_SHARE * (TAIL - 1));
  }

  /** By Box and Muller; Java 17 promises SplittableRandom no one sequence of its own. */
  private double gaussian() {
    double radius = StrictMath.sqrt(-2 * StrictMath.log(1 - random.nextDouble()));
    return radius * StrictMath.cos(2 * Math.PI * random.nextDouble());
  }
}
