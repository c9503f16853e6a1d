// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.volume;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.device.DeviceIdentity;
import io.rdio.core.fence.DeviceFence;
import io.rdio.core.fence.HostKey;
import io.rdio.core.fence.HostNamespaces;
import io.rdio.core.fence.Namespaces;
import io.rdio.core.fence.Namespaces.Namespace;
import io.rdio.core.fence.OwnReservation;
import io.rdio.core.fence.ReservationException;
import io.rdio.core.fence.ReservationException.Obstacle;
import io.rdio.core.fence.ReservationReport;
import io.rdio.core.fence.ReservationType;
import io.rdio.core.fence.Reservations;
import io.rdio.core.time.MonotonicClock;
import java.io.IOException;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Volumes whose devices are reserved for this host whenever they are looked at, alone or with those
 * that agents write from. A reservation is kept when this ends: the file system is still mounted
 * then, and the next start finds it. Thread-safe.
 */
public final class ReservedVolumes implements VolumeIdentifier, AgentFences {
  private static final Logger LOG = LoggerFactory.getLogger(ReservedVolumes.class);

  private final VolumeIdentifier volumes;
  private final Access access;
  private final Own own;
  private final MonotonicClock clock;
  private final ConcurrentHashMap<Path, Entry> reservations = new ConcurrentHashMap<>();

  /** What each volume lay on when it was looked at last, by the name that it had then. */
  private final ConcurrentHashMap<Path, DeviceIdentity> seen = new ConcurrentHashMap<>();

  /** For each device, by its WWID: who shuts a host out of it. */
  private final ConcurrentHashMap<String, Object> turns = new ConcurrentHashMap<>();

  /** Of the file system that lies there: another one in its place has its own. */
  private record Entry(UUID fileSystem, VolumeReservation reservation) {}

  /**
   * What this host reserves.
   *
   * @param key of this host
   * @param type of its reservations; {@link ReservationType#WRITE_EXCLUSIVE} shuts agents out, too
   * @param required whether nothing is granted on a volume whose device cannot be reserved
   */
  public record Own(long key, ReservationType type, boolean required) {}

  /** The way to a device's reservations. */
  @FunctionalInterface
  interface Access {
    Reservations open(DeviceIdentity device) throws IOException;
  }

  /** By this host's kernel. */
  public ReservedVolumes(VolumeIdentifier volumes, Own own, MonotonicClock clock) {
    this(volumes, ReservedVolumes::ofKernel, own, clock);
  }

  ReservedVolumes(VolumeIdentifier volumes, Access access, Own own, MonotonicClock clock) {
    this.volumes = volumes;
    this.access = access;
    this.own = own;
    this.clock = clock;
  }

  private static Reservations ofKernel(DeviceIdentity device) throws IOException {
    return byName(new HostNamespaces(), device);
  }

  /**
   * The way to a device's reservations, by its name here, which may be another namespace's by now:
   * agents' keys are alike on all of them, so that nobody would notice who is shut out of what.
   *
   * @throws ReservationException FAILED if it is another namespace that has the name
   */
  static Reservations byName(Namespaces namespaces, DeviceIdentity device) throws IOException {
    Namespace named = namespaces.of(Path.of(device.name()));
    Reservations opened = namespaces.open(named);
    boolean isRight = false;
    try {
      // Asked when it is open: as long as it is, no other one gets its name.
      Namespace found = namespaces.of(named.node());
      if (!found.wwid().equals(device.wwid())) {
        throw new ReservationException(
            Obstacle.FAILED, found + " is another namespace than that of " + device);
      }
      isRight = true;
      return opened;
    } finally {
      if (!isRight) {
        opened.close();
      }
    }
  }

  /** A device that was mounted anew meanwhile may have another name than whoever asks knows. */
  private Reservations open(Path volumeRoot, DeviceIdentity device) throws IOException {
    DeviceIdentity last = seen.get(volumeRoot);
    return access.open(last != null && last.equals(device) ? last : device);
  }

  /**
   * Takes or reads back the reservation in passing.
   *
   * @throws FallbackException also VOLUME_UNFENCED
   */
  @Override
  public DeviceIdentity identify(Path volumeRoot) throws FallbackException {
    DeviceIdentity device = volumes.identify(volumeRoot);
    seen.put(volumeRoot, device);
    VolumeReservation reservation =
        reservations.compute(volumeRoot, (root, before) -> entry(root, before, device.fsUuid()))
            .reservation;
    reservation.look(device);
    FallbackException obstacle = reservation.obstacle();
    if (obstacle != null) {
      throw obstacle;
    }
    return device;
  }

  private Entry entry(Path root, @Nullable Entry before, UUID fileSystem) {
    return before != null && before.fileSystem.equals(fileSystem)
        ? before
        : new Entry(fileSystem, new VolumeReservation(root, access, own, clock));
  }

  @Override
  public @Nullable FallbackException obstacle(Path volumeRoot) {
    Entry entry = reservations.get(volumeRoot);
    return entry == null ? null : entry.reservation.obstacle();
  }

  @Override
  public @Nullable FenceStatus fence(Path volumeRoot) {
    Entry entry = reservations.get(volumeRoot);
    return entry == null ? null : entry.reservation.status();
  }

  @Override
  public @Nullable String unfenced(Path volumeRoot) {
    FenceStatus status = fence(volumeRoot);
    if (status == null) {
      return "its device was not looked at yet";
    }
    return status.held() ? null : status.detail();
  }

  @Override
  public OptionalLong registered(Path volumeRoot, DeviceIdentity device, long agent)
      throws FallbackException {
    Entry entry = reservations.get(volumeRoot);
    if (entry == null) {
      throw refusal(volumeRoot, "its device was not looked at yet");
    }
    if (entry.reservation.isHopeless()) {
      return OptionalLong.of(NOBODY);
    }
    try (Reservations asked = open(volumeRoot, device)) {
      ReservationReport report = asked.report();
      // By the report alone it may have been taken by a process before, which had more rights.
      if (entry.reservation.isHeld()
          && OwnReservation.isHeld(
              report, own.key, ReservationType.WRITE_EXCLUSIVE_ALL_REGISTRANTS)) {
        return report.keyOf(agent);
      }
      if (!report.isReserved() && !entry.reservation.wasHad()) {
        return OptionalLong.of(NOBODY); // this process has not the right to, say
      }
      throw refusal(
          volumeRoot,
          "its device is not reserved for this host and its agents now: "
              + report
              + (entry.reservation.isHeld() ? "" : "; " + entry.reservation.status().detail()));
    } catch (ReservationException e) {
      if (e.obstacle() == Obstacle.UNSUPPORTED && !entry.reservation.wasHad()) {
        return OptionalLong.of(NOBODY);
      }
      throw refusal(volumeRoot, String.valueOf(e.getMessage()));
    } catch (IOException e) {
      throw refusal(volumeRoot, e.toString());
    }
  }

  private static FallbackException refusal(Path volumeRoot, String detail) {
    return new FallbackException(FallbackReason.WRITE_UNFENCED, volumeRoot + ": " + detail);
  }

  @Override
  public void shutOut(Path volumeRoot, DeviceIdentity device, long key) throws IOException {
    // Volumes on one device in turn: the key is gone before what it had under way is ended.
    synchronized (turns.computeIfAbsent(device.wwid(), wwid -> new Object())) {
      try (Reservations asked = open(volumeRoot, device)) {
        shutOut(volumeRoot, asked, key);
      }
    }
  }

  private void shutOut(Path volumeRoot, Reservations asked, long key) throws IOException {
    DeviceFence fence =
        new DeviceFence(asked, own.key, ReservationType.WRITE_EXCLUSIVE_ALL_REGISTRANTS);
    if (!fence.isShutOut(key)) {
      fence.shutOut(key);
      LOG.warn(
          "The host that was registered by {} is shut out of the device of {}: it lost its lease on"
              + " a slot there, and may still write to it",
          HostKey.text(key),
          volumeRoot);
      return;
    }
    // Registered anew since, or shut out before: by a command, perhaps, whose answer never came.
    // Linux's target answers one that changes nothing when what that one waits for is over.
    asked.register(own.key);
    if (!fence.isShutOut(key)) {
      throw new ReservationException(
          Obstacle.FAILED, asked.name() + ": it is not known any more who may write to it");
    }
  }
}
