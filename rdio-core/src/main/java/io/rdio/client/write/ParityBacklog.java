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
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The groups that are committed and whose parity is not: how many, how much, for how long. One that
 * takes long is told of. From half of the longest time on, no other group is let in; at its end the
 * group's parity is given up, and the NameNode has it made of the data. Thread-safe.
 */
public final class ParityBacklog implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ParityBacklog.class);

  private final long alarmNanos;
  private final long mostNanos;
  private final MonotonicClock clock;
  private final LeaseKeeper looks;
  private final LongAdder lost = new LongAdder();
  private final LongAdder givenUp = new LongAdder();
  private final LongAdder awaited = new LongAdder();

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

  /** When it was told last. */
  @GuardedBy("this")
  private long toldNanos;

  /** One group; each is equal to itself only. */
  static final class Late {
    private final BlockKey group;
    private final long bytes;
    private final long sinceNanos;
    private final Runnable giveUp;

    /** Whether its parity is being committed, or was given up; guarded by the backlog. */
    private boolean isDecided;

    private Late(BlockKey group, long bytes, long sinceNanos, Runnable giveUp) {
      this.group = group;
      this.bytes = bytes;
      this.sinceNanos = sinceNanos;
      this.giveUp = giveUp;
    }
  }

  /**
   * Not started.
   *
   * @param alarm how long a group may be here before that is told
   * @param most how long it may be here before its parity is given up
   * @param failures counts what threw in the thread that looks
   */
  public ParityBacklog(Duration alarm, Duration most, MonotonicClock clock, LongAdder failures) {
    this.alarmNanos = alarm.toNanos();
    this.mostNanos = most.toNanos();
    this.clock = clock;
    this.toldNanos = clock.nanos() - alarmNanos;
    this.looks = new LeaseKeeper("rdio-parity-backlog", this::look, failures);
  }

  /** Starts the thread that looks. */
  public void start() {
    looks.start();
  }

  /**
   * Whether a group may be committed before its parity; counted if it may not. It may not once the
   * oldest one has had half of its time: then targets of parity do not keep up with the data.
   */
  synchronized boolean admits() {
    boolean isKeptUp = late.isEmpty() || ageNanos() < mostNanos / 2;
    if (!isKeptUp) {
      awaited.increment();
    }
    return isKeptUp;
  }

  /**
   * Notes a group whose data was committed.
   *
   * @param groupBytes of its data
   * @param giveUp gives up the blocks of its parity, and waits for nobody; called once at most, and
   *     not behind {@link #beginCommit}
   */
  Late add(BlockKey group, long groupBytes, Runnable giveUp) {
    Late added = new Late(group, groupBytes, clock.nanos(), giveUp);
    synchronized (this) {
      late.add(added);
      bytes += groupBytes;
    }
    looks.within(Math.min(alarmNanos, mostNanos));
    return added;
  }

  /** Whether the group's parity is to be committed: it is not given up from now on, nor was. */
  synchronized boolean beginCommit(Late one) {
    boolean isWanted = !one.isDecided;
    one.isDecided = true;
    return isWanted;
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

  /** Groups whose parity was given up, for it took too long. */
  public long groupsGivenUp() {
    return givenUp.sum();
  }

  /** Groups that waited for their parity, since others were here for long. */
  public long groupsAwaited() {
    return awaited.sum();
  }

  /** Gives up and tells what is due; nanoseconds until more may be. */
  long look() {
    for (Late one = nextToGiveUp(); one != null; one = nextToGiveUp()) {
      givenUp.increment();
      LOG.warn(
          "RDIO: the parity of {} is given up after {} s: the NameNode has it made of the data",
          one.group,
          TimeUnit.NANOSECONDS.toSeconds(clock.nanos() - one.sinceNanos));
      one.giveUp.run();
    }
    return Math.min(untilGivenUp(), warnIfDue());
  }

  private synchronized @Nullable Late nextToGiveUp() {
    Late next = undecided();
    if (next == null || clock.nanos() - next.sinceNanos < mostNanos) {
      return null;
    }
    next.isDecided = true;
    return next;
  }

  private synchronized long untilGivenUp() {
    Late next = undecided();
    return next == null ? Long.MAX_VALUE : mostNanos - (clock.nanos() - next.sinceNanos);
  }

  /** The oldest one that can be given up. */
  @GuardedBy("this")
  private @Nullable Late undecided() {
    for (Late one : late) {
      if (!one.isDecided) {
        return one;
      }
    }
    return null;
  }

  private synchronized long warnIfDue() {
    if (late.isEmpty()) {
      return Long.MAX_VALUE;
    }
    long now = clock.nanos();
    long left = alarmNanos - Math.min(ageNanos(), now - toldNanos);
    if (left > 0) {
      return left;
    }
    toldNanos = now;
    LOG.warn(
        "RDIO: {} groups of {} bytes have no parity yet, {} for {} s. If this agent ends now, the"
            + " NameNode makes it. Targets of parity may be slow: see the log of lost blocks and"
            + " the DataNodes' metrics",
        late.size(),
        bytes,
        late.iterator().next().group,
        oldestSeconds());
    return alarmNanos;
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
    looks.close();
  }
}
