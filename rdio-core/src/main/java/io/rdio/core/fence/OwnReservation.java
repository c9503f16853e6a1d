// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.fence;

import io.rdio.core.fence.ReservationException.Obstacle;
import java.time.Duration;

/**
 * The reservation by which a host is the only one that writes to a device, or lets others do so one
 * by one: taken while it lives, kept when its process ends, and given up by an operator.
 */
public final class OwnReservation {
  /**
   * For so long after it was read back a reservation is believed, and may be taken again from a
   * target that has forgotten it. Whoever shuts the host out waits for as long before it counts,
   * and looks again: so nobody has changed the device when it is taken again.
   */
  public static final Duration BELIEVED = Duration.ofSeconds(15);

  private static final ReservationType ALONE = ReservationType.WRITE_EXCLUSIVE;
  private static final ReservationType FOR_ALL = ReservationType.WRITE_EXCLUSIVE_ALL_REGISTRANTS;

  private OwnReservation() {}

  /**
   * Takes it, and reads it back. Does no harm where this host has it already, and changes nothing
   * where another one has. Where this host has one of the other kind, that becomes this one: from
   * all that are registered to itself alone it shuts all others out.
   *
   * @param key of this host
   * @return what was read back
   * @throws ReservationException CONFLICT where another host has it, also one of the same name;
   *     UNSUPPORTED, DENIED, or FAILED
   */
  public static ReservationReport take(Reservations device, long key, ReservationType type)
      throws ReservationException {
    ReservationReport before = device.report();
    if (before.isReserved() && !before.isHeldBy(key)) {
      throw held(device, before);
    }
    if (before.isOf(FOR_ALL)) {
      return takeFromAll(device, before, key, type);
    }
    try {
      register(device, key);
    } catch (ReservationException e) {
      // Somebody with more rights took it for this host.
      if (e.obstacle() == Obstacle.DENIED && isThisHosts(device, before, key, type)) {
        return before;
      }
      throw e;
    }
    ReservationType first = before.isOf(ALONE) ? ALONE : type;
    try {
      // The target's word on whether it is this host that holds it, and not another one of its
      // name.
      device.reserve(key, first);
    } catch (ReservationException e) {
      device.unregister(key);
      throw e.obstacle() == Obstacle.CONFLICT ? held(device, device.report()) : e;
    }
    if (type == FOR_ALL) {
      letIn(device, key, first);
    }
    return readBack(device, key, type);
  }

  /** From now on hosts that register may write; those that were before have to do it anew. */
  private static void letIn(Reservations device, long key, ReservationType before)
      throws ReservationException {
    if (before != FOR_ALL) {
      // Whoever holds it preempts itself to have it of another kind.
      device.preemptAndAbort(key, key, FOR_ALL);
    }
    device.preemptAndAbort(key, Reservations.ALL_OTHERS, FOR_ALL);
  }

  /**
   * What all registered hosts hold any host has that registers. So a host of this key has it only
   * by the identifier of this very one, and nothing is registered to find that out.
   */
  private static ReservationReport takeFromAll(
      Reservations device, ReservationReport before, long key, ReservationType type)
      throws ReservationException {
    String host = device.hostId();
    if (host.isEmpty() || !before.isHeldBy(key, host)) {
      throw held(device, before);
    }
    // Changes nothing, but shows whether this process has the right to shut others out.
    device.register(key);
    if (type == FOR_ALL) {
      shutStrangersOut(device, before, key);
    } else {
      device.preemptAndAbort(key, Reservations.ALL_OTHERS, type);
    }
    return readBack(device, key, type);
  }

  /** Who is registered by no agent's key has nothing to write beside this host. */
  private static void shutStrangersOut(Reservations device, ReservationReport report, long key)
      throws ReservationException {
    for (Registrant each : report.registrants()) {
      if (each.key() != key && !AgentKey.isAgents(each.key())) {
        device.preemptAndAbort(key, each.key(), FOR_ALL);
      }
    }
  }

  private static ReservationReport readBack(Reservations device, long key, ReservationType type)
      throws ReservationException {
    ReservationReport after = device.report();
    if (!isHeld(after, key, type)) {
      throw new ReservationException(
          Obstacle.FAILED, device.name() + " was reserved, and what was read back is: " + after);
    }
    return after;
  }

  private static boolean isThisHosts(
      Reservations device, ReservationReport report, long key, ReservationType type) {
    String host = device.hostId();
    return !host.isEmpty()
        && report.isOf(type)
        && report.registrants().contains(new Registrant(host, key, true));
  }

  /** Whether a report says that it is of this kind, and had by a host of this key. */
  public static boolean isHeld(ReservationReport report, long key, ReservationType type) {
    return report.isOf(type) && report.isHeldBy(key);
  }

  /**
   * Gives it up, and this host's registration with it; without effect where there is none. Of what
   * this host holds beside all that are registered these are shut out before: else it would be
   * theirs from then on.
   */
  public static void release(Reservations device, long key) throws ReservationException {
    ReservationReport before = device.report();
    if (!before.hasKey(key)) {
      return;
    }
    if (before.isOf(FOR_ALL)) {
      device.preemptAndAbort(key, Reservations.ALL_OTHERS, ALONE);
    }
    device.unregister(key);
  }

  /** A host that has got another name, or was an agent's, is registered by its old key. */
  static void register(Reservations device, long key) throws ReservationException {
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
    boolean isAlone = before.isOf(ALONE);
    long held = before.heldBy(host).filter(each -> isAlone).map(Registrant::key).orElse(key);
    if (device.report().hasKey(held)) {
      device.unregister(held);
    }
    ReservationReport after = device.report();
    if (after.heldBy(host).filter(each -> !AgentKey.isAgents(each.key())).isPresent()) {
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
