// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.write;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.rdio.client.plane.DataNodeId;
import io.rdio.client.plane.WritePlane.Ended;
import io.rdio.client.plane.WriteSlot;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.write.SlotEnd;
import io.rdio.nativeio.write.DeviceWriter;
import io.rdio.nativeio.write.TooManyLeasesException;
import io.rdio.nativeio.write.WriteEnd;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A write lease of this process: the slot that a DataNode lent, and the library's lease on it (W9,
 * W10). Several threads write; others renew it, and end it where that fails. A lease that was ended
 * is never renewed in the library again. Thread-safe; no method but those that write, read and
 * flush waits for a device.
 */
final class WriteLease {
  private static final long LOOK_AGAIN_NANOS = Duration.ofMillis(10).toNanos();

  private final DataNodeId target;
  private final WriteSlot slot;
  private final LeasedSlot io;
  private final LeaseClock clock;

  /** What is done with the slot. */
  private enum Phase {
    WRITTEN,
    COMMITTED,
    /** The replica is made: nothing is to be told. */
    MADE,
    GIVEN_UP
  }

  @GuardedBy("this")
  private Phase phase = Phase.WRITTEN;

  @GuardedBy("this")
  private final LeaseTerm term = new LeaseTerm();

  /** What the library said last; null as long as it was not asked to end it. */
  @GuardedBy("this")
  private @Nullable WriteEnd end;

  @GuardedBy("this")
  private boolean isRenewed = true;

  @GuardedBy("this")
  private boolean isTold;

  @GuardedBy("this")
  private boolean isGivenBack;

  /** Whether nothing can be committed by it any more. */
  @GuardedBy("this")
  private boolean isVoid;

  /** Why nothing can be written by it any more. */
  private volatile @Nullable FallbackException loss;

  private WriteLease(DataNodeId target, WriteSlot slot, LeasedSlot io, LeaseClock clock) {
    this.target = target;
    this.slot = slot;
    this.io = io;
    this.clock = clock;
  }

  /**
   * Notes a lease in the library.
   *
   * @param device taken for it: the lease gives it back, unless this throws
   * @throws FallbackException LEASE_EXPIRED; AGENT_BUSY if the library has as many leases as it
   *     takes; DEVICE_MISMATCH if the slot cannot be on the device
   */
  static WriteLease of(
      DataNodeId target, WriteSlot slot, SlotDevices devices, SharedDevice device, LeaseClock clock)
      throws FallbackException {
    long deadline = clock.cut(slot.deadlineNanos());
    SlotLease lease;
    try {
      lease = device.lease(slot.grant(), clock.onBootClock(deadline));
    } catch (TooManyLeasesException e) {
      throw new FallbackException(
          FallbackReason.AGENT_BUSY,
          "the slot for " + slot.grant().block() + ": " + e.getMessage(),
          e);
    } catch (IOException e) {
      throw deadline - clock.nanos() <= 0
          ? new FallbackException(
              FallbackReason.LEASE_EXPIRED, "the lease of " + slot.grant().block() + " ran out", e)
          : new FallbackException(
              FallbackReason.DEVICE_MISMATCH,
              "the slot for " + slot.grant().block() + ": " + e.getMessage(),
              e);
    }
    LeasedSlot io = new LeasedSlot(slot.grant(), devices, device, lease);
    WriteLease noted = new WriteLease(target, slot, io, clock);
    noted.setTerm(deadline);
    return noted;
  }

  private synchronized void setTerm(long deadline) {
    term.lastUntil(deadline, clock.nanos());
  }

  DataNodeId target() {
    return target;
  }

  WriteSlot slot() {
    return slot;
  }

  /**
   * Refuses a lease that is over. To be called once behind {@link #of}: the machine may have been
   * paused before the library read its clocks, which only the clock of terms has seen then.
   *
   * @throws FallbackException LEASE_EXPIRED
   */
  synchronized void requireValid() throws FallbackException {
    if (term.isOver(clock.nanos())) {
      throw expired("it ran out");
    }
  }

  private FallbackException expired(String why) {
    return new FallbackException(
        FallbackReason.LEASE_EXPIRED,
        "the write lease of " + slot.grant().block() + " from " + target + ": " + why);
  }

  /**
   * Reads the stamps of all extents.
   *
   * @throws FallbackException LEASE_EXPIRED or DEVICE_IO_ERROR
   */
  void readStamps(ByteBuffer to) throws FallbackException {
    int count = io.readStamps(to);
    if (count < 0) {
      throw failed("stamps", count);
    }
  }

  /**
   * Writes a range of the slot, and waits for the device.
   *
   * @throws FallbackException LEASE_EXPIRED or DEVICE_IO_ERROR
   */
  void write(long offset, long address, int length, boolean isLast) throws FallbackException {
    int error = io.write(offset, address, length, isLast);
    if (error < 0) {
      throw failed(length + " bytes at " + offset, error);
    }
  }

  private FallbackException failed(String what, int error) {
    FallbackException known = loss;
    if (known != null) {
      return known;
    }
    return LeasedSlot.isNotSent(error)
        ? expired(DeviceWriter.text(error) + ", " + what)
        : io.failed(what, error);
  }

  /** The device is looked for anew for the next lease. */
  void deviceFailed() {
    io.deviceFailed();
  }

  /**
   * Nothing is written from now on; the DataNode's lease is still renewed as long as it may be. One
   * that was only not renewed in time may do yet: what was written was written in time, and the
   * DataNode decides.
   *
   * @throws FallbackException LEASE_EXPIRED if the DataNode has ended the lease, or this host
   */
  synchronized void beginCommit() throws FallbackException {
    FallbackException known = loss;
    if (isVoid && known != null) {
      throw known;
    }
    phase = Phase.COMMITTED;
  }

  /**
   * Flushes the device.
   *
   * @throws FallbackException DEVICE_IO_ERROR
   */
  void flush() throws FallbackException {
    io.flush();
  }

  /** Ends it in the library (W10). May be called again and again. */
  synchronized WriteEnd end(long timeoutNanos) {
    WriteEnd said = end;
    if (said == null || said == WriteEnd.NOT_ENDED || said == WriteEnd.UNDER_WAY) {
      said = io.end(timeoutNanos);
      end = said;
    }
    giveBackIfOver();
    return said;
  }

  /** The DataNode has made a replica of the slot. */
  synchronized void made() {
    phase = Phase.MADE;
    giveBackIfOver();
  }

  /** The slot is not wanted any more: ended as far as that goes without a wait. */
  synchronized void giveUp() {
    if (phase != Phase.MADE) {
      phase = Phase.GIVEN_UP;
      end(0);
    }
  }

  /** As {@link #giveUp}, if there is still something to be written. */
  synchronized void giveUpUnlessCommitting() {
    if (phase == Phase.WRITTEN) {
      lost("all writers of this process are closed");
      giveUp();
    }
  }

  /** Its host may write to the device no more. */
  synchronized void shutOut(String why) {
    if (phase == Phase.WRITTEN) {
      lost(why);
    }
  }

  /** Whether it is on the device with this WWID, whichever partition of it. */
  boolean isOn(String wwid) {
    return slot.grant().device().wwid().equals(wwid);
  }

  /** Whether it is ended, and each write by it was answered. */
  synchronized boolean isQuiet() {
    if (end == null) {
      return false; // and is not ended by this question
    }
    WriteEnd said = end(0);
    return (said == WriteEnd.CLEAN || said == WriteEnd.FAILED) && !io.isBeingWritten();
  }

  /** Whether nobody can write by it any more; waits so long for threads that may. */
  synchronized boolean isEnded(long timeoutNanos) {
    return phase == Phase.COMMITTED || end(timeoutNanos) != WriteEnd.NOT_ENDED;
  }

  @GuardedBy("this")
  private void giveBackIfOver() {
    boolean isReleased = end == WriteEnd.CLEAN || end == WriteEnd.FAILED;
    boolean isOver = phase == Phase.MADE || phase == Phase.GIVEN_UP;
    if (isReleased && isOver && !isGivenBack) {
      isGivenBack = true;
      io.giveBack();
    }
  }

  /** Whether nothing is left of it in the library, and nobody uses it any more. */
  synchronized boolean isOver() {
    return isGivenBack;
  }

  /**
   * What is to be told of it, once: null as long as it was not given up, or a thread may still
   * submit a write by it (W10).
   */
  synchronized @Nullable Ended toTell() {
    if (phase != Phase.GIVEN_UP || isTold || end == null || end == WriteEnd.NOT_ENDED) {
      return null;
    }
    isTold = true;
    if (end == WriteEnd.UNDER_WAY) {
      io.lost();
      return new Ended(slot, SlotEnd.UNDER_WAY);
    }
    return new Ended(slot, io.isWritten() ? SlotEnd.QUIET : SlotEnd.UNWRITTEN);
  }

  /**
   * Nanoseconds until it should be renewed, 0 or less if that is due; empty if it should not.
   *
   * @param now on the clock of terms
   */
  synchronized OptionalLong untilRenewal(long now) {
    boolean isWanted = phase == Phase.WRITTEN ? end == null : phase == Phase.COMMITTED;
    return isWanted && isRenewed && !term.isOver(now)
        ? OptionalLong.of(term.untilRenewal(now))
        : OptionalLong.empty();
  }

  /** What the DataNode says: a new deadline on the clock of terms, or none. */
  synchronized void renewed(OptionalLong deadline) {
    if (deadline.isEmpty()) {
      isRenewed = false;
      if (phase == Phase.WRITTEN) {
        lost("its DataNode has ended it");
      }
      return;
    }
    long cut = clock.cut(deadline.getAsLong());
    if (end == null && phase == Phase.WRITTEN) {
      int error = io.renew(clock.onBootClock(cut));
      if (error < 0) {
        lost(DeviceWriter.text(error));
        return;
      }
    }
    setTerm(cut);
  }

  @GuardedBy("this")
  private void lost(String why) {
    noteLoss(why);
    isVoid = true;
    end(0);
  }

  /** Its DataNode does not know that each write by it was answered, or is told of it too late. */
  @GuardedBy("this")
  private void noteLoss(String why) {
    if (loss == null) {
      io.lost();
    }
    loss = expired(why);
  }

  /** The DataNode did not answer: it is asked again before the lease has to be ended. */
  synchronized void unanswered() {
    term.askAgain(clock.nanos());
  }

  /**
   * Ends it where that is due: it was not renewed in time, or is not wanted any more.
   *
   * @param now on the clock of terms
   * @return nanoseconds until it is to be looked at again
   */
  synchronized long tend(long now) {
    long left = term.untilEnd(now);
    if (end == null && left > 0) {
      return left;
    }
    if (end == null) {
      noteLoss("it was not renewed in time, and ended before it ran out");
    }
    return switch (end(0)) {
      case CLEAN, FAILED -> Long.MAX_VALUE;
      case UNDER_WAY, NOT_ENDED -> LOOK_AGAIN_NANOS;
    };
  }
}
