// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.fence;

import io.rdio.core.fence.ReservationException.Obstacle;
import java.time.Duration;

/**
 * The reservation by which a host is the only one that writes to a device: taken while it lives,
 * kept when its process ends, and given up by an operator.
 */
public final class OwnReservation {
  /**
   * For so long after it was read back a reservation is believed, and may be taken again from a
   * target that has forgotten it. Whoever shuts the host out waits for as long before it counts,
   * and looks again: so nobody has changed the device when it is taken again.
   */
  public static final Duration BELIEVED = Duration.ofSeconds(15);

  private static final ReservationType TYPE = ReservationType.WRITE_EXCLUSIVE;

  private OwnReservation() {}

  /**
   * Takes it, and reads it back. Does no harm where this host has it already, and changes nothing
   * where another one has.
   *
   * @param key of this host
   * @return what was read back
   * @throws ReservationException CONFLICT where another host has it, also one of the same name;
   *     UNSUPPORTED, DENIED, or FAILED
   */
  public static ReservationReport take(Reservations device, long key) throws ReservationException {
    ReservationReport before = device.report();
    if (before.isReserved() && !before.isHeldBy(key)) {
      throw held(device, before);
    }
    try {
      register(device, key);
    } catch (ReservationException e) {
      // Somebody with more rights took it for this host.
      if (e.obstacle() == Obstacle.DENIED && isThisHosts(device, before, key)) {
        return before;
      }
      throw e;
    }
    try {
      // The target's word on whether it is this host that holds it, and not another one of its
      // name.
      device.reserve(key, TYPE);
    } catch (ReservationException e) {
      device.unregister(key);
      throw e.obstacle() == Obstacle.CONFLICT ? held(device, device.report()) : e;
    }
    ReservationReport after = device.report();
    if (!isHeld(after, key)) {
      throw new ReservationException(
          Obstacle.FAILED, device.name() + " was reserved, and what was read back is: " + after);
    }
    return after;
  }

  private static boolean isThisHosts(Reservations device, ReservationReport report, long key) {
    String host = device.hostId();
    return !host.isEmpty()
        && report.isOf(TYPE)
        && report.registrants().contains(new Registrant(host, key, true));
  }

  /** Whether a report says that it is had by a host of this key. */
  public static boolean isHeld(ReservationReport report, long key) {
    return report.isOf(TYPE) && report.isHeldBy(key);
  }

  /** Gives it up, and this host's registration with it; without effect where there is none. */
  public static void release(Reservations device, long key) throws ReservationException {
    if (device.report().hasKey(key)) {
      device.unregister(key);
    }
  }

  /** A host that has got another name is registered by its old key. */
  private static void register(Reservations device, long key) throws ReservationException {
    try {
      device.register(key);
    } catch (ReservationException e) {
      if (e.obstacle() != Obstacle.CONFLICT) {
        throw e;
      }
      device.replaceKey(key);
    }
  }

  /**
   * Gives up what this host holds, by whatever key that is now: from a target that has forgotten, a
   * DataNode that was started under another name takes it by another one.
   *
   * @param key by which this host took it
   * @throws ReservationException FAILED if the target shows that this host still holds it
   */
  public static void giveBack(Reservations device, long key) throws ReservationException {
    ReservationReport before = device.report();
    String host = device.hostId();
    // What all registrants hold is others', too: it is not taken from them in passing.
    boolean isAlone = before.isOf(ReservationType.WRITE_EXCLUSIVE);
    long held = before.heldBy(host).filter(each -> isAlone).map(Registrant::key).orElse(key);
    release(device, held);
    ReservationReport after = device.report();
    if (after.heldBy(host).isPresent()) {
      throw new ReservationException(
          Obstacle.FAILED,
          device.name()
              + ": this host still holds it: "
              + after
              + "; fix: 'rdio fence --release HOST' for this device, by the name that the key is"
              + " of ('rdio fence --status HOST' shows a name's key), and repeat it");
    }
  }

  private static ReservationException held(Reservations device, ReservationReport report) {
    return new ReservationException(
        Obstacle.CONFLICT,
        device.name()
            + " is another host's: "
            + report
            + "; fix: unmount it here; if that host is dead, 'rdio fence' it and then 'rdio fence"
            + " --undo'");
  }
}
