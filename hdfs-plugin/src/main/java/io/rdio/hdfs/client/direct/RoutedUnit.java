// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.direct;

import io.rdio.client.route.Route;
import io.rdio.client.route.Routers;

/**
 * What is read before a way is chosen anew, and how long it took: one positional read, {@link
 * Routers#RUN_UNIT} of a run in order, or a run's look at the other way. Such a look is two units.
 * The first is no measure: it makes a connection, or is what the device reads before it has enough
 * to do; but if it takes far longer than a unit by the present way, the other way is busy, and the
 * look is over. In a block that is too short for that, a look is all of it from its first byte: so
 * it is held against others that are as cold.
 *
 * <p>For one thread at a time.
 */
final class RoutedUnit {
  /** How a read leaves it. */
  enum State {
    GOES_ON,
    /** A look's first unit is over, and the one that counts begins. */
    WARMED_UP,
    /** The other way is busy: the look is over. */
    BUSY,
    OVER
  }

  /** Units of a look. */
  static final int LOOK = 2;

  /** A part of a unit that is a measure, where there is no more. */
  static final int LEAST_PART = 1 << 20;

  /**
   * The other way is busy if it has taken as long as so many units of the present one for a part of
   * one: it is seen as slow, and what it would have taken for the rest does not matter.
   */
  private static final double BUSY = 3;

  private Route route = Route.DEVICE;
  private boolean look;
  private boolean single;
  private boolean warm = true;
  private boolean begun;
  private int underWay;
  private long bytes;
  private long nanos;
  private long opening;
  private boolean over = true;

  /**
   * Begins the next one.
   *
   * @param way that it goes
   * @param isLook whether that is to find out about the way
   * @param isSingle whether it is one positional read
   * @param rest bytes of the block, from where it begins
   */
  void begin(Route way, boolean isLook, boolean isSingle, long rest) {
    route = way;
    look = isLook;
    single = isSingle;
    warm = !isLook || isSingle || !isLong(rest);
    begun = false;
    over = false;
    measureAnew();
  }

  /** Whether there are enough bytes for a look that warms up. */
  static boolean isLong(long rest) {
    return rest >= (long) LOOK * Routers.RUN_UNIT;
  }

  private void measureAnew() {
    bytes = 0;
    nanos = 0;
    opening = 0;
  }

  /** It is over, and what comes next is another one. */
  void end() {
    over = true;
  }

  /** The same; what is left of its read goes by the device. */
  void fallBackToDevice() {
    over = true;
    route = Route.DEVICE;
  }

  boolean isOver() {
    return over;
  }

  boolean isLook() {
    return look;
  }

  Route route() {
    return route;
  }

  boolean isByDataNode() {
    return route == Route.DATANODE;
  }

  /** Whether it is a look of which nothing counts yet. */
  boolean isWarmingUp() {
    return !warm && !over;
  }

  /** Whether so much of it counts that it says how fast its way is. */
  boolean isMeasure() {
    return warm && (single || bytes >= LEAST_PART);
  }

  /** Whether anything of it was read. */
  boolean hasBegun() {
    return !over && begun;
  }

  /** Bytes that are still to be read before it counts, of a look. */
  long leftToWarmUp() {
    return Routers.RUN_UNIT - bytes;
  }

  /** The reads that were under way as the first one began that counts. */
  int underWay() {
    return underWay;
  }

  /** Bytes that count. */
  long bytes() {
    return bytes;
  }

  /** What they took. */
  long nanos() {
    return nanos;
  }

  /**
   * A read of it took so long.
   *
   * @param reads under way as it began
   * @param usual what a unit takes by the present way, in nanoseconds
   */
  State add(int reads, int count, long took, double usual) {
    if (bytes == 0) {
      underWay = reads;
      opening = isByDataNode() && !single ? took : 0; // a connection is not what is slow in the end
    }
    begun = true;
    bytes += count;
    nanos += took;
    if (!warm && (double) (nanos - opening) > BUSY * usual) {
      return State.BUSY;
    }
    if (warm) {
      return single || bytes >= Routers.RUN_UNIT ? State.OVER : State.GOES_ON;
    }
    return bytes >= Routers.RUN_UNIT ? State.WARMED_UP : State.GOES_ON;
  }

  /** From now on it counts. */
  void warmedUp() {
    warm = true;
    measureAnew();
  }

  /** How long a whole one takes, by what there is of it. */
  long wholeNanos() {
    return single ? nanos : (long) ((double) nanos / units());
  }

  /** The same of a busy way: what is missing of it is taken to be as fast as the present one. */
  long busyNanos(double usual) {
    return nanos - opening + (long) (Math.max(0, 1 - units()) * usual);
  }

  /** What it took to open a way that is busy. */
  double openingNanos() {
    return (double) opening;
  }

  /** What it took more than by the present way. */
  double lostNanos(double usual) {
    return (double) nanos - units() * usual;
  }

  private double units() {
    return (double) bytes / Routers.RUN_UNIT;
  }
}
