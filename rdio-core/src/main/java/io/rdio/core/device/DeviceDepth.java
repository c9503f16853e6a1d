// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.device;

import java.util.ArrayList;
import java.util.List;

/**
 * How much long sequential runs should have under way on a device, in bytes: enough for its latency
 * times its bandwidth, and no more, for that takes memory and drives what is read out of the
 * processor's caches. Nobody knows that in advance, so it is tried out as runs go on.
 *
 * <p>Runs read in stretches and say how long each took. Now and then a run reads a stretch with the
 * present depth and one with another, twice or half of it. Each such pair is a vote: for more where
 * it was {@link #GAIN} faster, for less where it was about as fast. The other depth becomes the
 * present one with {@value #VOTES} of {@value #PAIRS}, so many that a device whose speed varies by
 * itself seldom has them by chance. After a change the next depth in that direction is tried at
 * once; else the other direction, after {@value #REST} stretches, and after twice as many each time
 * that nothing changes: half of what a trial reads is read by a depth that is mostly the worse one.
 *
 * <p>Votes come from all runs, but both halves of a pair from the same one: of two runs one is
 * always faster, whatever the depth. And from one that had the device to itself all the while:
 * beside others more under way is a larger share of the device, and would seem faster where it
 * gains nothing. Runs that are there at the same time have the depth together, each as much of it
 * as the others and {@link #LEAST} at least. Those that have not moved on for {@link #IDLE_NANOS}
 * do not count.
 *
 * <p>All runs of a JVM on the device share this. Thread-safe; a run takes its lock once in a
 * stretch, when it begins and when it ends.
 */
public final class DeviceDepth {
  /** That of devices whose runs nobody times. */
  static final DeviceDepth UNKNOWN = new DeviceDepth();

  /**
   * The least that is tried. Below that a run goes by smaller windows, which takes a third more of
   * the reader's CPU whatever the device needs (docs/measurements/2026-11-29-data-path.md).
   */
  public static final int LEAST = 4 << 20;

  /** The most. */
  public static final int MOST = 16 << 20;

  /** Where it begins. Most runs end before another depth has been found. */
  public static final int USUAL = 8 << 20;

  static final int PAIRS = 12;
  static final int VOTES = 9;
  static final int REST = 32;
  static final int LONGEST_REST = 256;

  /** A depth that is twice the memory has to be worth it. */
  static final double GAIN = 0.96;

  /** What a depth of half the memory may be slower. */
  static final double AS_FAST = 1.01;

  /** A run that has not moved on for so many nanoseconds waits for its reader. */
  static final long IDLE_NANOS = 1_000_000_000L;

  private final List<Run> runs = new ArrayList<>();
  private int depth = USUAL;
  private boolean deeper = true;
  private int rest = REST;
  private int resting = REST;
  private int pairs;
  private int votes;

  // How often something has changed behind which a pair that has begun is none any more.
  private long changes;

  /**
   * A run, as the devices know it that it reads one after the other. For one thread at a time; what
   * is not said to be the run's own is guarded by the lock of the device that it has joined.
   */
  public static final class Run {
    private int place;
    private boolean tries;
    private long changes;
    private double present; // nanoseconds for a byte, of the pair that has begun, or 0

    // The run's own; read by the others.
    private volatile long movedNanos;

    /**
     * Says that it goes on.
     *
     * @param nanos the time, of a clock that all runs go by
     */
    public void movedOn(long nanos) {
      movedNanos = nanos;
    }
  }

  /** The present depth. */
  public synchronized int bytes() {
    return depth;
  }

  /**
   * The depth of a run that begins: as if it were one of those that are long already.
   *
   * @param most what it may have under way, in bytes
   */
  public synchronized int first(int most) {
    fit(most);
    return share(runs.size(), most);
  }

  /**
   * A run has become a long one, and has its share of the depth from now on; {@link #leave} must
   * follow.
   *
   * @param nanos the time
   */
  public synchronized void join(Run run, long nanos) {
    run.place = runs.size();
    run.movedNanos = nanos;
    run.present = 0;
    runs.add(run);
    changes++;
  }

  /** It has ended. */
  public synchronized void leave(Run run) {
    Run last = runs.remove(runs.size() - 1);
    if (last != run) {
      runs.set(run.place, last);
      last.place = run.place;
    }
  }

  /**
   * The depth to read the next stretch with. The present depth comes down to what the run may have:
   * runs of one JVM have the same bound, as a rule.
   *
   * @param run one that has joined
   * @param most what it may have under way, in bytes
   * @param nanos the time
   */
  public synchronized int next(Run run, int most, long nanos) {
    fit(most);
    int others = others(run, nanos);
    if (run.present > 0 && isAsItWas(run, others)) {
      return candidate();
    }
    run.present = 0;
    run.tries = others == 0 && isTrialDue(most);
    run.changes = changes;
    return share(others, most);
  }

  private void fit(int most) {
    while (depth > Math.max(LEAST, most)) {
      depth /= 2;
      forget();
    }
  }

  private int share(int others, int most) {
    return Math.min(most, Math.max(LEAST, depth / (others + 1)));
  }

  private int others(Run run, long nanos) {
    int others = 0;
    for (int i = 0; i < runs.size(); i++) {
      Run other = runs.get(i);
      others += other != run && nanos - other.movedNanos < IDLE_NANOS ? 1 : 0;
    }
    return others;
  }

  /** Whether nothing has come between that would be taken for the other depth's doing. */
  private boolean isAsItWas(Run run, int others) {
    return others == 0 && run.changes == changes;
  }

  private boolean isTrialDue(int most) {
    if (resting > 0) {
      return false;
    }
    if (candidate() == depth) {
      deeper = !deeper; // the other way was tried before, and this one is at its end
      forget();
    }
    if (candidate() > most) {
      turnBack();
      return false;
    }
    return candidate() != depth;
  }

  private int candidate() {
    return deeper ? Math.min(MOST, 2 * depth) : Math.max(LEAST, depth / 2);
  }

  /**
   * Says how a stretch went.
   *
   * @param by the depth that it was read with, of {@link #next}
   * @param bytes of it, more than 0
   * @param nanos that it took
   * @param now the time
   */
  public synchronized void took(Run run, int by, long bytes, long nanos, long now) {
    if (resting > 0) {
      resting--;
      return;
    }
    double each = (double) nanos / bytes;
    double present = run.present;
    run.present = 0;
    if (!run.tries || !isAsItWas(run, others(run, now))) {
      return;
    }
    if (by == depth) {
      run.present = each;
    } else if (by == candidate() && present > 0) {
      vote(present, each);
    }
  }

  private void vote(double present, double other) {
    pairs++;
    votes += other <= present * (deeper ? GAIN : AS_FAST) ? 1 : 0;
    if (votes == VOTES) {
      depth = candidate();
      rest = REST;
      forget();
    } else if (pairs - votes > PAIRS - VOTES) {
      turnBack();
    }
  }

  private void turnBack() {
    deeper = !deeper;
    resting = rest;
    rest = Math.min(LONGEST_REST, 2 * rest);
    forget();
  }

  private void forget() {
    pairs = 0;
    votes = 0;
    changes++;
  }
}
