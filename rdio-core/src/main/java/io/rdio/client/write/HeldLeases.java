// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.write;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.rdio.client.plane.DataNodeId;
import io.rdio.client.plane.WritePlane;
import io.rdio.client.plane.WritePlane.Ended;
import io.rdio.client.plane.WriteSlot;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.time.LeaseKeeper;
import io.rdio.core.write.SlotEnd;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The write leases of this process, each from when it was noted in the library until nothing of it
 * is left there. One thread renews them; another one, which waits for nobody, ends in time what was
 * not renewed (W9). Thread-safe.
 */
final class HeldLeases implements HostRegistrar.Leases {
  /** Fewer than the library takes. */
  static final int MAX = 1000;

  private static final Logger LOG = LoggerFactory.getLogger(HeldLeases.class);
  private static final long CLOSE_NANOS = Duration.ofSeconds(5).toNanos();
  private static final long END_NANOS = Duration.ofMillis(20).toNanos();

  private final LeaseClock clock;
  private final SlotDevices devices;
  private final UntoldEnds untold;
  private final LeaseRenewals round;
  private final LeaseKeeper renewals;
  private final LeaseKeeper ends;
  private final LongAdder failures;

  @GuardedBy("this")
  private final Set<WriteLease> leases = new LinkedHashSet<>();

  /** Leases that there may be soon: of slots that are asked for. */
  @GuardedBy("this")
  private int promised;

  @GuardedBy("this")
  private boolean closed;

  /**
   * Room for one lease more, from before its slot is asked for: the library has the lease before it
   * is taken on. For one thread.
   */
  final class Room implements AutoCloseable {
    private boolean isOver;

    private Room() {}

    /**
     * Takes a lease on, to be renewed and ended in time.
     *
     * @throws FallbackException AGENT_UNAVAILABLE when the leases were closed
     */
    void add(WriteLease lease) throws FallbackException {
      takeOn(lease);
      isOver = true;
    }

    /** Gives it back, unless there is a lease in it. */
    @Override
    public void close() {
      if (!isOver) {
        isOver = true;
        giveBack();
      }
    }
  }

  /**
   * @param failures counts what threw in the two threads
   */
  HeldLeases(WritePlane plane, SlotDevices devices, LeaseClock clock, LongAdder failures) {
    this.clock = clock;
    this.devices = devices;
    this.untold = new UntoldEnds(plane, ended -> devices.registrar().lost(ended.slot().grant()));
    this.round = new LeaseRenewals(plane);
    this.renewals = new LeaseKeeper("rdio-write-leases", this::renewDue, failures);
    this.ends = new LeaseKeeper("rdio-write-ends", this::endDue, failures);
    this.failures = failures;
  }

  void start() {
    renewals.start();
    ends.start();
  }

  /**
   * Puts room for another lease aside; to be closed in any case.
   *
   * @throws FallbackException AGENT_UNAVAILABLE when this was closed, AGENT_BUSY
   */
  synchronized Room takeRoom() throws FallbackException {
    if (closed) {
      throw new FallbackException(
          FallbackReason.AGENT_UNAVAILABLE, "it ends, and begins no block any more");
    }
    int taken = leases.size() + promised;
    if (taken >= MAX) {
      throw new FallbackException(
          FallbackReason.AGENT_BUSY, "it writes " + taken + " replicas, and takes no more");
    }
    promised++;
    return new Room();
  }

  private synchronized void giveBack() {
    promised--;
  }

  private void takeOn(WriteLease lease) throws FallbackException {
    synchronized (this) {
      if (closed) {
        throw new FallbackException(
            FallbackReason.AGENT_UNAVAILABLE,
            "it ends, and does not write " + lease.slot().grant().block());
      }
      promised--;
      leases.add(lease);
    }
    renewals.within(0);
    ends.within(0);
  }

  /** Its replica is made: nothing is left of it. */
  synchronized void remove(WriteLease lease) {
    leases.remove(lease);
  }

  /** It was given up: its DataNode is told, and what is left of it in the library is ended. */
  void gaveUp(WriteLease lease) {
    tell(lease);
    if (lease.isOver()) {
      remove(lease);
    } else {
      ends.within(0);
    }
  }

  /** A slot that no lease was noted on. */
  void notWanted(DataNodeId target, WriteSlot slot) {
    tell(target, new Ended(slot, SlotEnd.UNWRITTEN));
  }

  private void tell(WriteLease lease) {
    tell(lease.target(), lease.toTell());
  }

  private void tell(DataNodeId target, @Nullable Ended ended) {
    if (ended != null) {
      untold.add(target, ended);
      renewals.within(0);
    }
  }

  @Override
  public void lose(String wwid, String why) {
    for (WriteLease lease : all()) {
      if (lease.isOn(wwid)) {
        lease.shutOut(why);
      }
    }
    ends.within(0);
  }

  @Override
  public boolean areQuiet(String wwid) {
    return all().stream().filter(lease -> lease.isOn(wwid)).allMatch(WriteLease::isQuiet);
  }

  /** Has the thread that renews look at what is due: something is to be counted or told. */
  void soon() {
    renewals.within(0);
  }

  private synchronized List<WriteLease> all() {
    return List.copyOf(leases);
  }

  /** Renews, or tells, one DataNode: what is due first; nanoseconds until more is due. */
  long renewDue() {
    long pause = round.next(all(), clock.nanos());
    ends.within(0); // a lease that was not renewed may have to be ended
    if (pause <= 0 || untold.tellNext()) {
      return 0;
    }
    devices.closeIdle();
    long awake = devices.registrar().countAwake();
    return Math.min(Math.min(pause, awake), SlotDevices.IDLE.toNanos());
  }

  /** Ends what is due to be ended; nanoseconds until more is due. Waits for nobody. */
  long endDue() {
    long pause = Long.MAX_VALUE;
    for (WriteLease lease : all()) {
      try {
        pause = Math.min(pause, lease.tend(clock.nanos()));
      } catch (Throwable e) { // the other leases' time goes on
        failures.increment();
        LOG.error("RDIO: the write lease of {} is not ended", lease.slot().grant().block(), e);
      }
      tell(lease);
      if (lease.isOver()) {
        remove(lease);
      }
    }
    return pause;
  }

  /**
   * Ends all, but for those whose commit is under way, which no write goes on by; and tells their
   * DataNodes, within some seconds.
   */
  void close() {
    synchronized (this) {
      closed = true;
    }
    long last = System.nanoTime() + CLOSE_NANOS;
    for (WriteLease lease : all()) {
      lease.giveUpUnlessCommitting();
      while (!lease.isEnded(END_NANOS) && System.nanoTime() - last < 0) {
        LOG.debug("RDIO: {} is waited for: it is being written", lease.slot().grant().block());
      }
      tell(lease);
    }
    renewals.close();
    ends.close();
    while (System.nanoTime() - last < 0 && untold.tellNext()) {
      LOG.debug("RDIO: a DataNode was told of slots that are not wanted any more");
    }
  }
}
