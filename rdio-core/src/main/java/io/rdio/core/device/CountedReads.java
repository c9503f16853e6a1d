// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.device;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How the reads of a {@link RingReads} count as work of their devices ({@link DeviceBacklog}), and
 * what is learnt from how long they took. For one thread at a time; allocates nothing.
 */
final class CountedReads {
  private final @Nullable DeviceBacklog[] backlogs = new @Nullable DeviceBacklog[RingQueue.DEPTH];
  private final int[] lengths = new int[RingQueue.DEPTH];
  private final long[] begunNanos = new long[RingQueue.DEPTH];
  private final long[] begunWith = new long[RingQueue.DEPTH];
  private final long[] restUntil = new long[RingQueue.DEPTH];
  private long underWay;

  // Of those under way, the ones that nobody waits for, from rest() to resume(); and of these, the
  // ones that had just begun.
  private long resting;
  private long fresh;

  /** When a wait last told of all that had ended; any value before that. */
  private long lookedNanos = System.nanoTime();

  /** A read begins. */
  void begin(int ticket, DeviceBacklog with, int length) {
    backlogs[ticket] = with;
    lengths[ticket] = length;
    begunNanos[ticket] = System.nanoTime();
    begunWith[ticket] = with.begin(length);
    underWay |= 1L << ticket;
  }

  /** Bytes that a read was begun for. */
  int length(int ticket) {
    return lengths[ticket];
  }

  /**
   * The kernel tells that a read has ended.
   *
   * @param result bytes, or below zero
   * @param waitBegun when the wait began that told of it; {@code now} if nobody waited
   */
  void ended(int ticket, long result, long waitBegun, long now) {
    DeviceBacklog backlog = backlog(ticket);
    long bit = 1L << ticket;
    long took = now - begunNanos[ticket];
    if ((resting & bit) == 0) {
      if (result != lengths[ticket]) {
        backlog.end(lengths[ticket]);
      } else if (isJustEnded(ticket, waitBegun, now)) {
        backlog.ended(lengths[ticket], begunWith[ticket], took);
      } else {
        backlog.endedWithin(lengths[ticket], begunWith[ticket], took);
      }
    }
    backlogs[ticket] = null;
    underWay &= ~bit;
    resting &= ~bit;
  }

  /**
   * Whether a read ended in the wait that told of it. What ended before that, while its owner was
   * busy with something else, ended nobody knows when, and leaves nothing to wait for: so the wait
   * is to have taken at least as long as nobody looked before it.
   */
  private boolean isJustEnded(int ticket, long waitBegun, long now) {
    long unseen = Math.min(waitBegun - lookedNanos, waitBegun - begunNanos[ticket]);
    return waitBegun != now && now - waitBegun >= unseen;
  }

  /** A wait has told of all that had ended. */
  void looked(long now) {
    lookedNanos = now;
  }

  /** See {@link ReadQueue#rest}. */
  void rest() {
    long now = System.nanoTime();
    long begin = underWay & ~resting;
    resting |= begin;
    fresh &= ~begin;
    for (long left = begin; left != 0; left &= left - 1) {
      int ticket = Long.numberOfTrailingZeros(left);
      boolean isFresh = backlog(ticket).isFresh(begunWith[ticket], now - begunNanos[ticket]);
      fresh |= isFresh ? 1L << ticket : 0;
    }
    for (long left = begin; left != 0; ) {
      long same = ofTheFirstDevice(left);
      long until = firstBacklog(same).rest(weight(same), weight(same & fresh), now);
      for (long each = same; each != 0; each &= each - 1) {
        restUntil[Long.numberOfTrailingZeros(each)] = until;
      }
      left &= ~same;
    }
  }

  /** See {@link ReadQueue#resume}. */
  void resume() {
    if (resting == 0) {
      return;
    }
    long now = System.nanoTime();
    for (long left = resting; left != 0; ) {
      long same = ofTheFirstDevice(left);
      long until = restUntil[Long.numberOfTrailingZeros(same)];
      firstBacklog(same).resume(weight(same), weight(same & fresh), until, now);
      left &= ~same;
    }
    resting = 0;
  }

  /** Of some reads those of one device, which are told of at once. */
  private long ofTheFirstDevice(long tickets) {
    DeviceBacklog first = firstBacklog(tickets);
    long same = 0;
    for (long left = tickets; left != 0; left &= left - 1) {
      int ticket = Long.numberOfTrailingZeros(left);
      same |= backlog(ticket) == first ? 1L << ticket : 0;
    }
    return same;
  }

  private long weight(long tickets) {
    long weight = 0;
    for (long left = tickets; left != 0; left &= left - 1) {
      weight += DeviceBacklog.weight(lengths[Long.numberOfTrailingZeros(left)]);
    }
    return weight;
  }

  private DeviceBacklog firstBacklog(long tickets) {
    return backlog(Long.numberOfTrailingZeros(tickets));
  }

  private DeviceBacklog backlog(int ticket) {
    return Objects.requireNonNull(backlogs[ticket]);
  }
}
