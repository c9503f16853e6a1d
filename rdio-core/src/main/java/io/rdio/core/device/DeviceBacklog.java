// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.device;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * How busy a device is with the reads of this process, and how fast it gets through them: so that
 * of several devices with the same bytes the one can be asked that will have them first. Reads of
 * other processes show in how long ours take. What is read ahead of a run whose reader is busy with
 * something else rests: it ends, and nobody looks. So what began long ago is left out, and what has
 * just begun counts for as long as the device is thought to take for it.
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

  /** A read that is so many times older than was to be expected has ended most probably. */
  private static final double OLD = 2;

  private final AtomicLong underWay = new AtomicLong();
  private final LongSupplier nanoTime;

  /** When the device will be through with what rests, as far as it is thought to be at it. */
  private final AtomicLong restsUntil;

  private volatile double nanosPerByte;

  /** One of a device of which nothing is known yet. */
  public DeviceBacklog() {
    this(System::nanoTime);
  }

  /**
   * @param nanoTime as System.nanoTime, which all times are by
   */
  DeviceBacklog(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    this.restsUntil = new AtomicLong(nanoTime.getAsLong());
  }

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
   * Whether a read may be under way still, for all that is known.
   *
   * @param began what {@link #begin} gave for it
   * @param nanos since then
   */
  boolean isFresh(long began, long nanos) {
    return (double) nanos < OLD * nanosPerByte * (double) began;
  }

  /**
   * Reads rest: nobody waits for them, or sees when they end.
   *
   * @param weight of theirs
   * @param fresh of that, the weight of those that {@linkplain #isFresh may be under way still}
   * @return until when these will count, for {@link #resume}
   */
  long rest(long weight, long fresh, long now) {
    underWay.addAndGet(-weight);
    long takes = nanosFor(fresh);
    long until = now;
    for (boolean done = takes == 0; !done; ) {
      long before = restsUntil.get();
      until = now + Math.max(0, before - now) + takes;
      done = restsUntil.compareAndSet(before, until);
    }
    return until;
  }

  /**
   * Reads that rested are waited for again.
   *
   * @param weight of those that have not ended meanwhile
   * @param fresh of that, the weight of those that were so
   * @param until what {@link #rest} gave for them
   */
  void resume(long weight, long fresh, long until, long now) {
    underWay.addAndGet(weight);
    long left = Math.min(nanosFor(fresh), until - now);
    if (left > 0) {
      restsUntil.addAndGet(-left);
    }
  }

  private long nanosFor(long weight) {
    return (long) (nanosPerByte * (double) weight);
  }

  /** Weight of what is under way, in bytes, without what rests. */
  public long underWay() {
    return underWay.get();
  }

  /** How long a read of so many bytes would take if it began now, in nanoseconds; 0 if unknown. */
  public double nanosOf(int bytes) {
    long resting = Math.max(0, restsUntil.get() - nanoTime.getAsLong());
    return nanosPerByte * (underWay.get() + weight(bytes)) + resting;
  }

  /** What a read weighs, in bytes. */
  static long weight(int bytes) {
    return (long) bytes + OVERHEAD;
  }
}
