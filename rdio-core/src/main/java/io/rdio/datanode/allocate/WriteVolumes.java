// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.allocate;

import io.rdio.core.device.DeviceIdentity;
import io.rdio.datanode.volume.Storage;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;

/** The storage directories that HDFS uses now, with their upkeep. Thread-safe; touches no disk. */
final class WriteVolumes {
  private final ReplicaWriter writer;
  private final Function<Storage, SlotVolume> maker;
  private final Function<SlotVolume, Runnable> upkeeps;
  private final Consumer<SlotVolume> whenGone;
  private final Map<Storage, Kept> kept = new ConcurrentHashMap<>();

  private record Kept(SlotVolume volume, Runnable upkeep) {}

  /**
   * @param upkeeps what is done on a volume's own thread to look after it
   * @param whenGone told of each volume that went
   */
  WriteVolumes(
      ReplicaWriter writer,
      Function<Storage, SlotVolume> maker,
      Function<SlotVolume, Runnable> upkeeps,
      Consumer<SlotVolume> whenGone) {
    this.writer = writer;
    this.maker = maker;
    this.upkeeps = upkeeps;
    this.whenGone = whenGone;
  }

  /** Takes in what came and forgets what went. For one thread at a time. */
  void refresh() {
    List<Storage> now = writer.storages();
    for (Storage storage : now) {
      kept.computeIfAbsent(storage, this::keep);
    }
    for (SlotVolume volume : all()) {
      if (!now.contains(volume.storage())) {
        kept.remove(volume.storage());
        volume.leave();
        whenGone.accept(volume);
      }
    }
  }

  private Kept keep(Storage storage) {
    SlotVolume volume = maker.apply(storage);
    return new Kept(volume, upkeeps.apply(volume));
  }

  Collection<SlotVolume> all() {
    return kept.values().stream().map(Kept::volume).toList();
  }

  Optional<SlotVolume> of(Storage storage) {
    return Optional.ofNullable(kept.get(storage)).map(Kept::volume);
  }

  /**
   * The volume that a slot is to be lent from.
   *
   * @param storageId as in {@link AllocateCommand}; where it is "", one that has a slot if any has
   */
  Optional<SlotVolume> choose(String storageId, long bytes) {
    return all().stream()
        .filter(volume -> storageId.isEmpty() || volume.storage().storageId().equals(storageId))
        .max(Comparator.comparingLong(volume -> has(volume, bytes)));
  }

  /**
   * Whether a host is to be shut out of a device by a key before a slot there is free: whatever it
   * writes there by then fails.
   */
  boolean isDoomed(DeviceIdentity device, long hostKey) {
    return all().stream()
        .anyMatch(volume -> isOn(volume, device) && volume.quarantine().isDoomed(hostKey));
  }

  /** Volumes on partitions of one device share its registrations. */
  private static boolean isOn(SlotVolume volume, DeviceIdentity device) {
    SlotVolume.Opened opened = volume.openedOrNull();
    return opened != null && opened.device().wwid().equals(device.wwid());
  }

  /** Free bytes of a volume that has a slot of this size; else less than 0. */
  private static long has(SlotVolume volume, long bytes) {
    SlotVolume.Opened opened = volume.openedOrNull();
    return opened == null ? -2 : opened.pool().has(bytes) ? opened.pool().bytes() : -1;
  }

  /** Has a volume looked after, on its own thread. */
  void requestUpkeep(SlotVolume volume) {
    Kept its = kept.get(volume.storage());
    if (its != null && its.volume() == volume) {
      volume.requestUpkeep(its.upkeep());
    }
  }
}
