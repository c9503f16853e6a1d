// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.fence;

import io.rdio.core.Setting;
import io.rdio.core.fence.ReservationException.Obstacle;

/**
 * The fence of a device that takes reservations: this host has the reservation when another one is
 * shut out. With {@link ReservationType#WRITE_EXCLUSIVE} it is the only one that writes then: of a
 * device that all registered hosts hold it shuts all of them out. With {@link
 * ReservationType#WRITE_EXCLUSIVE_ALL_REGISTRANTS} it takes away nobody's right but the one's, and
 * only where it holds the device already.
 */
public final class DeviceFence implements HostFence {
  private final Reservations device;
  private final long own;
  private final ReservationType type;

  /**
   * @param own key of this host
   */
  public DeviceFence(Reservations device, long own, ReservationType type) {
    this.device = device;
    this.own = own;
    this.type = type;
  }

  @Override
  public void requireRegistered(long key) throws ReservationException {
    requireAnothers(key);
    ReservationReport report = device.report();
    requireNoThird(report, key);
    if (!report.hasKey(key)) {
      throw notRegistered(report, key);
    }
  }

  @Override
  public void shutOut(long key) throws ReservationException {
    requireAnothers(key);
    ReservationReport before = device.report();
    boolean isToBeAlone = isToBeAlone(before);
    if (isShutOut(before, key) && !before.hasKey(key) && !isToBeAlone) {
      return; // one that is still registered may have writes under way, which are to be ended
    }
    requireNoThird(before, key);
    requireStillOurs(before);
    // A try before this one may have ended between two commands.
    boolean isBegun = before.hasKey(own) && (isToBeAlone || !before.isReserved());
    if (!before.hasKey(key) && !isBegun) {
      throw notRegistered(before, key);
    }
    OwnReservation.register(device, own);
    if (isToBeAlone || before.hasKey(key)) {
      device.preemptAndAbort(own, isToBeAlone ? Reservations.ALL_OTHERS : key, type);
    }
    ReservationReport after = device.report();
    if (!after.isReserved()) {
      // Taking away a mere registration leaves no reservation behind.
      device.reserve(own, type);
      after = device.report();
    }
    if (!isShutOut(after, key) || after.hasKey(key)) {
      throw new ReservationException(
          Obstacle.FAILED,
          device.name()
              + ": the target did as it was told, and still shows "
              + after
              + "; fix: it is not known whether the host may write: turn it off");
    }
  }

  /** By a mere key the others that hold it would stay, and so would its kind. */
  private boolean isToBeAlone(ReservationReport report) {
    return type == ReservationType.WRITE_EXCLUSIVE
        && report.isOf(ReservationType.WRITE_EXCLUSIVE_ALL_REGISTRANTS);
  }

  /** A host that was shut out itself must not register again to shut out others. */
  private void requireStillOurs(ReservationReport report) throws ReservationException {
    if (type == ReservationType.WRITE_EXCLUSIVE_ALL_REGISTRANTS && !report.isHeldBy(own)) {
      throw new ReservationException(
          Obstacle.CONFLICT,
          device.name()
              + " is not held by this host, so it shuts nobody out of it: "
              + report
              + "; fix: none needed if its target was started again a moment ago; else see 'rdio"
              + " fence --status'");
    }
  }

  private void requireAnothers(long key) throws ReservationException {
    if (key == own) {
      throw new ReservationException(
          Obstacle.CONFLICT,
          device.name()
              + ": "
              + HostKey.text(key)
              + " is this host's own key: no host shuts itself out; fix: do it on another host, or"
              + " give this one another name");
    }
  }

  /** Nobody else is shut out in passing. */
  private void requireNoThird(ReservationReport report, long key) throws ReservationException {
    if (report.isReserved() && !report.isHeldBy(key) && !report.isHeldBy(own)) {
      throw new ReservationException(
          Obstacle.CONFLICT,
          device.name()
              + " is held by another host: "
              + report
              + "; fix: name the host that holds it");
    }
  }

  private ReservationException notRegistered(ReservationReport report, long key) {
    return new ReservationException(
        Obstacle.UNSUPPORTED,
        device.name()
            + ": no host is registered by "
            + HostKey.text(key)
            + ", so what it has under way cannot be ended ("
            + report
            + "); fix: turn the host off, and then have 'rdio fence --undo' end what is recorded:"
            + " its volume may be mounted elsewhere without a fence then; "
            + Setting.FENCE
            + " has DataNodes reserve their devices while they live");
  }

  @Override
  public boolean isShutOut(long key) throws ReservationException {
    return isShutOut(device.report(), key);
  }

  /** Whether this host holds it, and of which of the two kinds, is as good against a host. */
  private boolean isShutOut(ReservationReport report, long key) {
    boolean alone = report.isOf(ReservationType.WRITE_EXCLUSIVE);
    boolean held =
        report.isHeldBy(own)
            && (alone || report.isOf(ReservationType.WRITE_EXCLUSIVE_ALL_REGISTRANTS));
    // Only where registered hosts may write does a registration give a right.
    return held && ((alone && type == ReservationType.WRITE_EXCLUSIVE) || !report.hasKey(key));
  }

  @Override
  public boolean isOwn() throws ReservationException {
    ReservationReport report = device.report();
    String host = device.hostId();
    return !host.isEmpty() && report.isHeldBy(own, host);
  }
}
