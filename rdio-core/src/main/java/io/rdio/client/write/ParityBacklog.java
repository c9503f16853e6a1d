// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.write;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.rdio.core.block.BlockKey;
import io.rdio.core.time.LeaseKeeper;
import io.rdio.core.time.MonotonicClock;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The groups that are committed and whose parity is not: how many, how much, for how long. One that
 * takes too long is told of. Thread-safe.
 */
public final class ParityBacklog implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ParityBacklog.class);

  private final long alarmNanos;
  private final MonotonicClock clock;
  private final LeaseKeeper alarms;
  private final LongAdder lost = new LongAdder();

  /** The oldest first. */
  @GuardedBy("this")
  private final Set<Late> late = new LinkedHashSet<>();

  @GuardedBy("this")
  private long bytes;

  /** Groups that were here. */
  @GuardedBy("this")
  private long gone;

  /** For how long they were, all together. */
  @GuardedBy("this")
  private long goneNanos;

  /** One group; each is equal to itself only. */
  static final class Late {
    private final BlockKey group;
    private final long bytes;
    private final long sinceNanos;

    private Late(BlockKey group, long bytes, long sinceNanos) {
      this.group = group;
      this.bytes = bytes;
      this.sinceNanos = sinceNanos;
    }
  }

  /**
   * Not started.
   *
   * @param alarm how long a group may be here before that is told
   * @param failures counts what threw in the thread that looks
   */
  public ParityBacklog(Duration alarm, MonotonicClock clock, LongAdder failures) {
    this.alarmNanos = alarm.toNanos();
    this.clock = clock;
    this.alarms = new LeaseKeeper("rdio-parity-alarm", this::warnIfDue, failures);
  }

  /** Starts the thread that looks. */
  public void start() {
    alarms.start();
  }

  /**
   * Notes a group whose data was committed.
   *
   * @param groupBytes of its data
   */
  Late add(BlockKey group, long groupBytes) {
    Late added = new Late(group, groupBytes, clock.nanos());
    synchronized (this) {
      late.add(added);
      bytes += groupBytes;
    }
    alarms.within(alarmNanos);
    return added;
  }

  /**
   * The group's parity is committed, or never will be.
   *
   * @param lostBlocks how many of its blocks are not: the NameNode has them made
   */
  synchronized void remove(Late one, int lostBlocks) {
    if (late.remove(one)) {
      bytes -= one.bytes;
      lost.add(lostBlocks);
      gone++;
      goneNanos += clock.nanos() - one.sinceNanos;
      notifyAll();
    }
  }

  /** How many there are. */
  public synchronized int groups() {
    return late.size();
  }

  /** Bytes of their data. */
  public synchronized long bytes() {
    return bytes;
  }

  /** For how long the oldest one has been here; 0 if there is none. */
  public synchronized long oldestSeconds() {
    return late.isEmpty() ? 0 : TimeUnit.NANOSECONDS.toSeconds(ageNanos());
  }

  /** Of the oldest one. */
  @GuardedBy("this")
  private long ageNanos() {
    return clock.nanos() - late.iterator().next().sinceNanos;
  }

  /** How many were here, and are no more. */
  public synchronized long groupsGone() {
    return gone;
  }

  /** For how long those were here, all together. */
  public synchronized long millisGone() {
    return TimeUnit.NANOSECONDS.toMillis(goneNanos);
  }

  /** Blocks of parity so far that were not written after all. */
  public long lostBlocks() {
    return lost.sum();
  }

  /** Tells if that is due; nanoseconds until it may be. */
  synchronized long warnIfDue() {
    if (late.isEmpty()) {
      return Long.MAX_VALUE;
    }
    long left = alarmNanos - ageNanos();
    if (left > 0) {
      return left;
    }
    LOG.warn(
        "RDIO: {} groups of {} bytes have no parity yet, {} for {} s. If this agent ends now, the"
            + " NameNode makes it. Targets of parity may be slow: see the log of lost blocks and"
            + " the DataNodes' metrics",
        late.size(),
        bytes,
        late.iterator().next().group,
        oldestSeconds());
    return Math.max(alarmNanos, TimeUnit.SECONDS.toNanos(1));
  }

  /**
   * Waits until there is none, but not for long.
   *
   * @return whether there is none
   */
  public synchronized boolean awaitEmpty(Duration most) throws InterruptedException {
    long end = System.nanoTime() + most.toNanos();
    long left = most.toNanos();
    while (!late.isEmpty() && left > 0) {
      TimeUnit.NANOSECONDS.timedWait(this, left);
      left = end - System.nanoTime();
    }
    return late.isEmpty();
  }

  /** Ends the thread that looks. */
  @Override
  public void close() {
    alarms.close();
  }
}
