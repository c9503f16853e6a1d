// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.fence;

import io.rdio.core.Setting;
import io.rdio.core.fence.ReservationException.Obstacle;

/**
 * The fence of a device that takes reservations: this host has the reservation when another one is
 * shut out. With {@link ReservationType#WRITE_EXCLUSIVE} it is the only one that writes then.
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
    if (isShutOut(before, key) && !before.hasKey(key)) {
      return; // one that is still registered may have writes under way, which are to be ended
    }
    requireNoThird(before, key);
    // A try before this one may have ended between two commands.
    boolean isBegun = !before.isReserved() && before.hasKey(own);
    if (!before.hasKey(key) && !isBegun) {
      throw notRegistered(before, key);
    }
    device.register(own);
    if (before.hasKey(key)) {
      device.preemptAndAbort(own, key, type);
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

  private boolean isShutOut(ReservationReport report, long key) {
    boolean held = report.isOf(type) && report.isHeldBy(own);
    // Only where registered hosts may write does a registration give a right.
    return held && (type == ReservationType.WRITE_EXCLUSIVE || !report.hasKey(key));
  }

  @Override
  public boolean isOwn() throws ReservationException {
    ReservationReport report = device.report();
    String host = device.hostId();
    return !host.isEmpty() && report.isHeldBy(own, host);
  }
}
