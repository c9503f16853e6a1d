// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.device;

/**
 * How much a long sequential run should have under way on a device, in bytes: enough for its
 * latency times its bandwidth, and no more, for that takes memory and drives what is read out of
 * the processor's caches. Nobody knows that in advance, so it is tried out as runs go on.
 *
 * <p>Runs read in stretches and say how long each took. Now and then stretches of another depth,
 * twice or half of the present one, take turns with those of the present one. Each such pair is a
 * vote: for more where it was {@link #GAIN} faster, for less where it was about as fast. The other
 * depth becomes the present one with {@value #VOTES} of {@value #PAIRS}, so many that a device
 * whose speed varies by itself seldom has them by chance. After a change the next depth in that
 * direction is tried at once; else the other direction, after {@value #REST} stretches, and after
 * twice as many each time that nothing changes: half of what a trial reads is read by a depth that
 * is mostly the worse one.
 *
 * <p>All runs of a JVM on the device share this. Thread-safe; a run takes its lock once in a
 * stretch.
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

  private int depth = USUAL;
  private boolean deeper = true;
  private int rest = REST;
  private int resting = REST;
  private double present; // nanoseconds for a byte, of the pair that has begun, or 0
  private int pairs;
  private int votes;
  private boolean otherIsNext;

  /** The present depth. */
  public synchronized int bytes() {
    return depth;
  }

  /**
   * The depth to read the next stretch with. The present depth comes down to what the run may have:
   * runs of one JVM have the same bound, as a rule.
   *
   * @param most what the run may have under way, in bytes
   */
  public synchronized int next(int most) {
    while (depth > Math.max(LEAST, most)) {
      depth /= 2;
      forget();
    }
    if (resting == 0 && candidate() > most) {
      turnBack();
    }
    int candidate = candidate();
    boolean tries = resting == 0 && candidate <= most && candidate != depth;
    otherIsNext = tries && !otherIsNext;
    return Math.min(most, otherIsNext ? candidate : depth);
  }

  private int candidate() {
    return deeper ? Math.min(MOST, 2 * depth) : Math.max(LEAST, depth / 2);
  }

  /**
   * Says how a stretch went.
   *
   * @param by the depth that it was read with, of {@link #next}
   * @param bytes of it, more than 0
   */
  public synchronized void took(int by, long bytes, long nanos) {
    if (resting > 0) {
      resting--;
      return;
    }
    if (candidate() == depth) {
      deeper = !deeper; // the other way was tried before, and this one is at its end
    } else if (by == depth) {
      present = (double) nanos / bytes;
    } else if (by == candidate() && present > 0) {
      vote((double) nanos / bytes);
    }
  }

  private void vote(double other) {
    pairs++;
    votes += other <= present * (deeper ? GAIN : AS_FAST) ? 1 : 0;
    present = 0;
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
    present = 0;
    pairs = 0;
    votes = 0;
  }
}
