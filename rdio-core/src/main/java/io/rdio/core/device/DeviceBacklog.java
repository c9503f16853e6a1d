// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.device;

import java.util.concurrent.atomic.AtomicLong;

/**
 * How busy a device is with the reads of this process, and how fast it gets through them: so that
 * of several devices with the same bytes the one can be asked that will have them first. Reads of
 * other processes show in how long ours take. What is read ahead of a run whose reader is busy with
 * something else is left out: it has ended for the most part, and nobody has looked.
 *
 * <p>The model is one queue that is served in order: a read weighs its bytes and {@link #OVERHEAD}
 * more, and takes as long as all that is under way when it begins, itself included. The time for
 * each byte of that is an exponentially weighted mean.
 *
 * <p>Thread-safe without a lock; of samples that come at the same moment some may be lost.
 */
public final class DeviceBacklog {
  /** That of devices whose reads nobody counts. */
  static final DeviceBacklog UNKNOWN = new DeviceBacklog();

  /** What a read costs beside its bytes, as so many bytes of a large one. */
  public static final int OVERHEAD = 64 << 10;

  private static final double WEIGHT = 1.0 / 16;

  /** A sample counts as at most so many times the mean: one pause of the JVM is no trend. */
  private static final int MOST = 16;

  private final AtomicLong underWay = new AtomicLong();
  private volatile double nanosPerByte;

  /**
   * A read begins.
   *
   * @return the weight under way now, this read's included, for {@link #ended}
   */
  public long begin(int bytes) {
    return underWay.addAndGet(weight(bytes));
  }

  /** A read ended of which nothing is to be learnt. */
  public void end(int bytes) {
    underWay.addAndGet(-weight(bytes));
  }

  /**
   * A read ended that went well.
   *
   * @param began what {@link #begin} gave for it
   * @param nanos that it took
   */
  public void ended(int bytes, long began, long nanos) {
    end(bytes);
    double sample = (double) Math.max(1, nanos) / began;
    double before = nanosPerByte;
    nanosPerByte =
        before == 0 ? sample : before + WEIGHT * (Math.min(sample, MOST * before) - before);
  }

  /**
   * A read ended that went well, nobody knows when. That says something only where the device was
   * thought to be slower.
   *
   * @param nanos that it took at most
   */
  void endedWithin(int bytes, long began, long nanos) {
    if ((double) nanos < nanosPerByte * began) {
      ended(bytes, began, nanos);
    } else {
      end(bytes);
    }
  }

  /**
   * Reads are left out, or count again.
   *
   * @param weight of theirs; below zero to leave them out
   */
  void add(long weight) {
    underWay.addAndGet(weight);
  }

  /** Weight of what is under way, in bytes. */
  public long underWay() {
    return underWay.get();
  }

  /** How long a read of so many bytes would take if it began now, in nanoseconds; 0 if unknown. */
  public double nanosOf(int bytes) {
    return nanosPerByte * (underWay.get() + weight(bytes));
  }

  /** What a read weighs, in bytes. */
  static long weight(int bytes) {
    return (long) bytes + OVERHEAD;
  }
}
