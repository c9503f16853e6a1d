// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import io.rdio.core.device.DeviceBacklog;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * By which replica of a block the next window is read, where there are several on devices of their
 * own. For one thread at a time; allocates nothing.
 *
 * <p>The choice is the power of two choices with memory (Mitzenmacher, Prabhakar and Shah, "Load
 * Balancing with Memory", FOCS 2002): the replica of last time is compared with another one taken
 * at random, and left if that one's device would have the bytes sooner by a twentieth, with all
 * that is under way there ({@link DeviceBacklog}). A device of which nothing is known yet is tried
 * at once.
 *
 * <p>A device that was slow may be so no longer, and a replica that nobody reads may be corrupt: so
 * the other one is visited all the same now and then, which may take a 64th of all time and no
 * more.
 */
final class ReplicaSpread {
  /** No other replicas. */
  static final MappedReplica[] NONE = {};

  private static final double HYSTERESIS = 0.95;
  private static final int VISIT_SHARE = 64;

  private final Visits visits;
  private final IntUnaryOperator random;
  private MappedReplica[] others = NONE;
  private @Nullable MappedReplica present;

  /** What may be spent on visits, by all runs of a JVM together. Thread-safe. */
  static final class Visits {
    private final AtomicLong nanos = new AtomicLong();

    private void earn(double expected) {
      nanos.addAndGet((long) expected / VISIT_SHARE);
    }

    /**
     * On credit, or the dearest would never be visited: what it cost is to be earned before the
     * next.
     */
    private boolean pays(double cost) {
      long saved = nanos.get();
      return saved > 0 && nanos.compareAndSet(saved, saved - (long) cost);
    }
  }

  /**
   * @param random numbers from 0 to below its argument
   */
  ReplicaSpread(Visits visits, IntUnaryOperator random) {
    this.visits = visits;
    this.random = random;
  }

  /**
   * Says by which replicas may be read beside the reader's own.
   *
   * @param beside with the same bytes, chunks and checks as that one
   */
  void over(MappedReplica[] beside) {
    others = beside;
  }

  /** Lets go of them. */
  void clear() {
    others = NONE;
    present = null;
  }

  /** Whether there is no other than the reader's own. */
  boolean isAlone() {
    return others.length == 0;
  }

  /** Whether a window that was read by a replica is one of the reader's. */
  @SuppressWarnings("ReferenceEquality") // Another object is another lease.
  boolean has(MappedReplica own, @Nullable MappedReplica replica) {
    return replica == own || isOther(replica);
  }

  @SuppressWarnings("ReferenceEquality") // Another object is another lease.
  private boolean isOther(@Nullable MappedReplica replica) {
    for (MappedReplica other : others) {
      if (other == replica) {
        return true;
      }
    }
    return false;
  }

  /**
   * The replica to read a window by.
   *
   * @param own the reader's, which is the choice where no other may be read by
   * @param bytes of the window
   * @param nowNanos on the clock that their guards run on
   */
  MappedReplica choose(MappedReplica own, int bytes, long nowNanos) {
    if (others.length == 0) {
      return own;
    }
    MappedReplica here = here(own, nowNanos);
    MappedReplica there = anyBut(here, own);
    if (!there.isGuarded(nowNanos)) {
      return here;
    }
    double stay = here.device().backlog().nanosOf(bytes);
    double leave = there.device().backlog().nanosOf(bytes);
    visits.earn(stay);
    if (leave < HYSTERESIS * stay) {
      present = there;
      return there;
    }
    return visits.pays(leave) ? there : here;
  }

  /** That of last time; for a run that begins, any. */
  private MappedReplica here(MappedReplica own, long nowNanos) {
    MappedReplica last = present;
    MappedReplica here = last != null && has(own, last) ? last : any(own);
    if (!here.isGuarded(nowNanos)) {
      here = own;
    }
    present = here;
    return here;
  }

  private MappedReplica any(MappedReplica own) {
    int i = random.applyAsInt(others.length + 1);
    return i == others.length ? own : others[i];
  }

  /** One of those that are left without one of them. */
  @SuppressWarnings("ReferenceEquality") // Another object is another lease.
  private MappedReplica anyBut(MappedReplica one, MappedReplica own) {
    MappedReplica other = others[random.applyAsInt(others.length)];
    return other == one ? own : other;
  }
}
