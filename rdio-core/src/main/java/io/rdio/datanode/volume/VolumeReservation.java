// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.volume;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.device.DeviceIdentity;
import io.rdio.core.fence.HostKey;
import io.rdio.core.fence.OwnReservation;
import io.rdio.core.fence.ReservationException;
import io.rdio.core.fence.ReservationReport;
import io.rdio.core.fence.Reservations;
import io.rdio.core.time.BackOff;
import io.rdio.core.time.MonotonicClock;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This host's reservation of one volume's device: taken once, and read back from then on. A host
 * that sees that another one took it away has been shut out, and never takes it again by itself:
 * the other may have changed the file system meanwhile. So it is where the target has forgotten
 * all, and it is too long ago that it was read back to know that nobody took it away before. A
 * device that takes no reservations is asked again now and then, for it may by then. Thread-safe;
 * only {@link #look} asks the device, and may hang with it.
 */
final class VolumeReservation {
  private static final Logger LOG = LoggerFactory.getLogger(VolumeReservation.class);

  /** A host that cannot ask its device for longer may have been shut out. */
  static final long BELIEVED_NANOS = OwnReservation.BELIEVED.toNanos();

  /** Behind the first look at a device that takes none; each is twice as long as the one before. */
  static final Duration FIRST_PAUSE = Duration.ofSeconds(5);

  private static final Duration LONGEST_PAUSE = Duration.ofMinutes(5);

  private final Path root;
  private final ReservedVolumes.Access access;
  private final ReservedVolumes.Own own;
  private final MonotonicClock clock;
  private final BackOff refusals;
  private volatile Standing standing =
      new Standing(State.MISSING, 0, 0, "it was not looked at yet");

  private enum State {
    /** Not had so far. */
    MISSING,
    /** Not to be had on this device, when it was asked last. */
    UNSUPPORTED,
    /** Had when the device was asked last. */
    HELD,
    /** Had, and taken away. */
    LOST
  }

  /**
   * @param since when the device said so, if the reservation was had
   * @param generation of the report that said so
   */
  private record Standing(State state, long since, long generation, String detail) {}

  VolumeReservation(
      Path root, ReservedVolumes.Access access, ReservedVolumes.Own own, MonotonicClock clock) {
    this.root = root;
    this.access = access;
    this.own = own;
    this.clock = clock;
    this.refusals = new BackOff(FIRST_PAUSE, LONGEST_PAUSE, clock);
  }

  /**
   * Takes the reservation, or reads it back; throws nothing that the device may be the reason of.
   */
  synchronized void look(DeviceIdentity device) {
    Standing before = standing;
    if (before.state == State.LOST || refusals.leftNanos() > 0) {
      return;
    }
    // What is read back was so when it was asked for at the latest.
    long now = clock.nanos();
    Standing after;
    try (Reservations reservations = access.open(device)) {
      after =
          before.state == State.HELD
              ? readBack(before, reservations, now)
              : held(take(reservations), now);
    } catch (ReservationException e) {
      after = failed(before, e.obstacle(), e.getMessage());
    } catch (IOException e) {
      after = failed(before, ReservationException.Obstacle.FAILED, e.toString());
    }
    standing = after;
    if (after.state == State.UNSUPPORTED) {
      refusals.failed(0);
    } else {
      refusals.succeeded();
    }
    tell(before, after);
  }

  private ReservationReport take(Reservations reservations) throws ReservationException {
    return OwnReservation.take(reservations, own.key(), own.type());
  }

  private Standing readBack(Standing before, Reservations reservations, long now)
      throws ReservationException {
    ReservationReport report = reservations.report();
    if (OwnReservation.isHeld(report, own.key(), own.type())) {
      return held(report, now);
    }
    if (report.isHeldBy(own.key())) {
      // Of another kind by now: 'rdio fence' of this very host, say, which took it from nobody.
      return held(take(reservations), now);
    }
    // No change that anybody made: the target was started again, and has forgotten.
    boolean forgotten = !report.isReserved() && report.generation() <= before.generation;
    return forgotten ? takenAgain(before, reservations, now) : lost(report.toString());
  }

  /**
   * It counts only if that was over in time: see {@link OwnReservation#BELIEVED}. Nor does it where
   * it failed, for it may have been done all the same, and too late.
   */
  private Standing takenAgain(Standing before, Reservations reservations, long now) {
    String why = "it was not read back for " + OwnReservation.BELIEVED.toSeconds() + " s";
    try {
      if (isFresh(before)) {
        ReservationReport report = take(reservations);
        if (isFresh(before)) {
          return held(report, now);
        }
        OwnReservation.release(reservations, own.key());
      }
    } catch (ReservationException e) {
      why = String.valueOf(e.getMessage());
    }
    return new Standing(
        State.LOST,
        0,
        0,
        "its target was started again and has forgotten the reservation, which could not be taken"
            + " again in time ("
            + why
            + "): another host may have changed the file system meanwhile; fix: if none has, start"
            + " the DataNode anew");
  }

  private static Standing held(ReservationReport report, long now) {
    return new Standing(State.HELD, now, report.generation(), report.toString());
  }

  private static Standing lost(String detail) {
    return new Standing(
        State.LOST, 0, 0, "another host has shut this one out of the volume's device: " + detail);
  }

  private static Standing failed(
      Standing before, ReservationException.Obstacle obstacle, @Nullable String detail) {
    String text = String.valueOf(detail);
    if (before.state == State.HELD) {
      return obstacle == ReservationException.Obstacle.CONFLICT
          ? lost(text)
          : new Standing(State.HELD, before.since, before.generation, text);
    }
    boolean hopeless = obstacle == ReservationException.Obstacle.UNSUPPORTED;
    return new Standing(hopeless ? State.UNSUPPORTED : State.MISSING, 0, 0, text);
  }

  private void tell(Standing before, Standing after) {
    if (before.state == after.state && before.detail.equals(after.detail)) {
      return;
    }
    switch (after.state) {
      case HELD ->
          LOG.info(
              "The device of {}, by the key {}: {}", root, HostKey.text(own.key()), after.detail);
      case LOST -> LOG.error("Nothing is granted on {} any more: {}", root, after.detail);
      case MISSING, UNSUPPORTED ->
          LOG.warn("Other hosts can write to the device of {}: {}", root, after.detail);
    }
  }

  /** Whether the device takes no reservations, as far as is known. */
  boolean isHopeless() {
    return standing.state == State.UNSUPPORTED;
  }

  /** Whether this process had it when the device was asked last, with the right to all of it. */
  boolean isHeld() {
    return standing.state == State.HELD;
  }

  /** Whether this host had it at any time, whatever became of it. */
  boolean wasHad() {
    State now = standing.state;
    return now == State.HELD || now == State.LOST;
  }

  /** Why nothing may be granted or renewed on the volume now; null if it may. Asks no device. */
  @Nullable FallbackException obstacle() {
    Standing now = standing;
    boolean granted =
        switch (now.state) {
          case HELD -> isFresh(now);
          case LOST -> false;
          case MISSING, UNSUPPORTED -> !own.required();
        };
    return granted
        ? null
        : new FallbackException(FallbackReason.VOLUME_UNFENCED, root + ": " + status().detail());
  }

  private boolean isFresh(Standing now) {
    return clock.nanos() - now.since <= BELIEVED_NANOS;
  }

  /** For people. */
  FenceStatus status() {
    Standing now = standing;
    if (now.state != State.HELD || isFresh(now)) {
      return new FenceStatus(now.state == State.HELD, now.detail);
    }
    long seconds = TimeUnit.NANOSECONDS.toSeconds(clock.nanos() - now.since);
    return new FenceStatus(
        false,
        "its reservation was read back " + seconds + " s ago for the last time: " + now.detail);
  }
}
