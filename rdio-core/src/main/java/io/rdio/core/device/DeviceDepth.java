// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.device;

import java.util.Arrays;

/**
 * How much a long sequential run should have under way on a device, in bytes: enough for its
 * latency times its bandwidth, and no more, for that takes memory and drives what is read out of
 * the processor's caches. Nobody knows that in advance, so it is tried out as runs go on.
 *
 * <p>Runs read in stretches and say how long each took. Now and then stretches of another depth,
 * twice or half of the present one, take turns with those of the present one. Of both kinds the
 * medians of {@value #SAMPLES} are compared: more must be {@link #GAIN} faster to become the
 * present depth, less only as fast. After a change the next one in that direction is tried at once;
 * else the other direction, after {@value #REST} stretches.
 *
 * <p>All runs of a JVM on the device share this. Thread-safe; a run takes its lock once in a
 * stretch.
 */
public final class DeviceDepth {
  /** That of devices whose runs nobody times. */
  static final DeviceDepth UNKNOWN = new DeviceDepth();

  /** The least that is tried. */
  public static final int LEAST = 1 << 20;

  /** The most. */
  public static final int MOST = 16 << 20;

  /** Where it begins. */
  public static final int USUAL = 4 << 20;

  static final int SAMPLES = 5;
  static final int REST = 32;

  /** A depth that is twice the memory has to be worth it. */
  static final double GAIN = 0.96;

  private final double[] present = new double[SAMPLES];
  private final double[] other = new double[SAMPLES];
  private int depth = USUAL;
  private boolean deeper = true;
  private int resting = REST;
  private int presents;
  private int others;
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
    double sample = (double) nanos / bytes;
    if (by == depth && presents < SAMPLES) {
      present[presents++] = sample;
    } else if (by == candidate() && others < SAMPLES) {
      other[others++] = sample;
    }
    if (candidate() == depth) {
      turnBack();
    } else if (presents == SAMPLES && others == SAMPLES) {
      decide();
    }
  }

  private void decide() {
    double allowed = median(present) * (deeper ? GAIN : 1);
    if (median(other) <= allowed) {
      depth = candidate();
      forget();
    } else {
      turnBack();
    }
  }

  private void turnBack() {
    deeper = !deeper;
    resting = REST;
    forget();
  }

  private void forget() {
    presents = 0;
    others = 0;
  }

  private static double median(double[] samples) {
    double[] sorted = samples.clone();
    Arrays.sort(sorted);
    return sorted[SAMPLES / 2];
  }
}
