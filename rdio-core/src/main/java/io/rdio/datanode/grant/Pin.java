// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.grant;

import io.rdio.core.block.BlockKey;
import io.rdio.core.device.DeviceIdentity;
import io.rdio.datanode.volume.PinnedFiles;
import io.rdio.datanode.volume.Replica;
import io.rdio.datanode.volume.Storage;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One pinned version of one block, shared by all its leases. What is not final belongs to {@link
 * LeaseTable} and is touched under its lock only.
 */
final class Pin {
  private final PinnedMap map;
  private final Replica replica;
  private final PinnedFiles files;
  private final Object inode;
  private final Volume volume;

  final LinkedDeque<HeldLease> leases = new LinkedDeque<>(HeldLease.ON_PIN);

  /** Its place among the pins that HDFS is not known to have let go; null before and after. */
  @Nullable Place place;

  /** Whom it is charged to. */
  @Nullable VolumeShare share;

  /** Nobody is known to have read the block yet that it was granted for. */
  boolean speculative;

  /** Granted or renewed since it came to its place among the pins of its share. */
  boolean used;

  /** Nothing is granted or renewed on it any more. */
  boolean recalled;

  /** HDFS let the replica go, so that only the pin keeps its space. */
  boolean deleted;

  private @Nullable Pin usedBefore;
  private @Nullable Pin usedAfter;

  /** The pins of a share, in the order in which they are looked at for one that may go. */
  static final LinkedDeque.Links<Pin> IN_TURN =
      new LinkedDeque.Links<>(
          pin -> pin.usedBefore,
          (pin, before) -> pin.usedBefore = before,
          pin -> pin.usedAfter,
          (pin, after) -> pin.usedAfter = after);

  /** A pin by its number. */
  static final class Place extends Sequence.Element<Place> {
    final Pin pin;

    Place(long number, Pin pin) {
      super(number);
      this.pin = pin;
    }
  }

  /**
   * @param inode file key of the pinned block file
   */
  Pin(PinnedMap map, Replica replica, PinnedFiles files, Object inode, Volume volume) {
    Storage storage = volume.storage();
    BlockKey block = map.block();
    // The names come with each request anew; here they are the same objects for all pins.
    BlockKey own = new BlockKey(block.poolId().intern(), block.blockId(), block.generationStamp());
    this.map = map.named(own, storage.storageId());
    this.replica =
        new Replica(
            own,
            storage.storageId(),
            storage.volumeRoot(),
            replica.blockFile(),
            replica.metaFile(),
            replica.length());
    this.files = files;
    this.inode = inode;
    this.volume = volume;
  }

  BlockKey block() {
    return map.block();
  }

  /** What is granted now: the device may have grown since the block was pinned. */
  PinnedMap map() {
    DeviceIdentity now = volume.access().deviceOrNull();
    return now == null || now.equals(map.device()) ? map : map.on(now);
  }

  /** As it was when it was pinned. */
  Replica replica() {
    return replica;
  }

  PinnedFiles files() {
    return files;
  }

  Object inode() {
    return inode;
  }

  Volume volume() {
    return volume;
  }

  long bytes() {
    return map.blockLength() + map.metaLength();
  }

  /** Bytes of the heap that it takes, its leases apart. */
  long heapBytes() {
    return HeapBytes.pin(map, volume.storage().volumeRoot());
  }

  /** Whether leases on it that have not run out may get new terms. */
  boolean isRenewable() {
    return !recalled && !volume.account().isClosed() && volume.access().mayRenew();
  }

  /** Of a pin that the table has taken in. */
  VolumeShare share() {
    return Objects.requireNonNull(share, "a pin in the table is charged to an address");
  }
}
