// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.device;

import io.rdio.client.counters.DeviceCounters;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.device.BlockDevice;
import io.rdio.core.ext4.Ext4Exception;
import io.rdio.core.ext4.Ext4Superblock;
import io.rdio.core.ext4.Ext4Volume;
import io.rdio.core.ext4.Feature;
import io.rdio.core.ext4.journal.Journal;
import java.util.List;

/**
 * A file system as it was opened, for one mount of it and one size: another mount makes another
 * object, and so does growth. Compared by identity. Safe for any number of threads.
 */
final class OpenVolume {
  private static final int ATTEMPTS = 3;
  private static final List<Feature> NEEDED =
      List.of(Feature.HAS_JOURNAL, Feature.METADATA_CSUM, Feature.EXTENTS);

  private final Ext4Volume home;
  private final Journal journal;
  private final CachedBlocks blocks;
  private final Ext4Volume volume;

  private OpenVolume(Ext4Volume home, Journal journal, DeviceCounters counters) {
    this.home = home;
    this.journal = journal;
    this.blocks = new CachedBlocks(journal, counters);
    this.volume = home.by(blocks);
  }

  /**
   * Opens what a device has.
   *
   * @throws FallbackException FILE_SYSTEM_UNSUPPORTED, XFS_NEEDS_DATANODE, METADATA_UNREADABLE, or
   *     what the device came to
   */
  static OpenVolume open(BlockDevice device, DeviceCounters counters) throws FallbackException {
    Ext4Exception last = Ext4Exception.damaged(0, "it was mounted while it was opened");
    // A superblock that is being written may be met half-way, and a mount too.
    for (int i = 0; i < ATTEMPTS; i++) {
      try {
        Ext4Volume home = Ext4Volume.open(device);
        requireFit(device, home.superblock());
        Journal journal = Journal.open(home);
        if (journal.isGrown()) {
          // Its superblock goes home later, or never where its host died before.
          home = Ext4Volume.open(device, home.by(journal).currentSuperblock());
          journal = Journal.open(home);
        }
        requireNoErrors(device.name(), home.superblock().hasErrors() || journal.hasErrors());
        if (home.currentSuperblock().mount().equals(home.superblock().mount())) {
          counters.volumesOpened.increment();
          return new OpenVolume(home, journal, counters);
        }
      } catch (Ext4Exception e) {
        last = e;
        if (e.kind() != Ext4Exception.Kind.DAMAGED) {
          break;
        }
      }
    }
    throw Refusals.ofVolume(device.name(), last);
  }

  private static void requireFit(BlockDevice device, Ext4Superblock superblock)
      throws FallbackException {
    for (Feature needed : NEEDED) {
      require(device, superblock, needed, true);
    }
    require(device, superblock, Feature.FAST_COMMIT, false);
  }

  /** Whether a file system has the features, and only those, with which this opens it. */
  static boolean isFit(Ext4Superblock superblock) {
    return NEEDED.stream().allMatch(superblock.features()::has)
        && !superblock.features().has(Feature.FAST_COMMIT);
  }

  private static void requireNoErrors(String device, boolean hasErrors) throws FallbackException {
    if (hasErrors) {
      throw new FallbackException(
          FallbackReason.METADATA_UNREADABLE,
          device + " has errors noted in its superblock: run e2fsck on its host");
    }
  }

  private static void require(
      BlockDevice device, Ext4Superblock superblock, Feature feature, boolean wanted)
      throws FallbackException {
    if (superblock.features().has(feature) != wanted) {
      throw new FallbackException(
          FallbackReason.FILE_SYSTEM_UNSUPPORTED,
          device.name()
              + " is ext4 with"
              + (wanted ? "out " : " ")
              + feature.text()
              + ": it cannot be read without its DataNode");
    }
  }

  /**
   * Refuses a file system whose kernel has noted errors, before it was opened or since.
   *
   * @throws FallbackException METADATA_UNREADABLE
   */
  void requireNoErrors(String device) throws FallbackException {
    requireNoErrors(device, journal.hasErrors());
  }

  /** As the journal shows it. */
  Ext4Volume volume() {
    return volume;
  }

  /** The metadata of {@link #volume}. */
  CachedBlocks blocks() {
    return blocks;
  }

  /** As the device has it, which is where data is read from (R5). */
  Ext4Volume home() {
    return home;
  }

  Journal journal() {
    return journal;
  }
}
