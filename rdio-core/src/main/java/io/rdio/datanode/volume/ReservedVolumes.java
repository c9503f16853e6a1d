// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.volume;

import io.rdio.core.FallbackException;
import io.rdio.core.device.DeviceIdentity;
import io.rdio.core.fence.HostNamespaces;
import io.rdio.core.fence.Reservations;
import io.rdio.core.time.MonotonicClock;
import java.io.IOException;
import java.nio.file.Path;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Volumes whose devices are reserved for this host whenever they are looked at. A reservation is
 * kept when this ends: the file system is still mounted then, and the next start finds it.
 * Thread-safe.
 */
public final class ReservedVolumes implements VolumeIdentifier {
  private final VolumeIdentifier volumes;
  private final Access access;
  private final long key;
  private final boolean required;
  private final MonotonicClock clock;
  private final ConcurrentHashMap<Path, Entry> reservations = new ConcurrentHashMap<>();

  /** Of the file system that lies there: another one in its place has its own. */
  private record Entry(UUID fileSystem, VolumeReservation reservation) {}

  /** The way to a device's reservations. */
  @FunctionalInterface
  interface Access {
    Reservations open(DeviceIdentity device) throws IOException;
  }

  /**
   * By this host's kernel.
   *
   * @param key of this host
   * @param required whether nothing is granted on a volume whose device cannot be reserved
   */
  public ReservedVolumes(
      VolumeIdentifier volumes, long key, boolean required, MonotonicClock clock) {
    this(volumes, ReservedVolumes::ofKernel, key, required, clock);
  }

  ReservedVolumes(
      VolumeIdentifier volumes, Access access, long key, boolean required, MonotonicClock clock) {
    this.volumes = volumes;
    this.access = access;
    this.key = key;
    this.required = required;
    this.clock = clock;
  }

  private static Reservations ofKernel(DeviceIdentity device) throws IOException {
    HostNamespaces namespaces = new HostNamespaces();
    return namespaces.open(namespaces.of(Path.of(device.name())));
  }

  /**
   * Takes or reads back the reservation in passing.
   *
   * @throws FallbackException also VOLUME_UNFENCED
   */
  @Override
  public DeviceIdentity identify(Path volumeRoot) throws FallbackException {
    DeviceIdentity device = volumes.identify(volumeRoot);
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
        : new Entry(fileSystem, new VolumeReservation(root, access, key, required, clock));
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
}
