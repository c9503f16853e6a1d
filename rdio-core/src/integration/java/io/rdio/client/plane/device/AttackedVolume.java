// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.device;

import io.rdio.client.counters.DeviceCounters;
import io.rdio.core.device.BlockDevice;
import io.rdio.core.device.NamedDevice;
import io.rdio.core.ext4.Ext4Superblock;
import io.rdio.core.ext4.Ext4Volume;
import io.rdio.core.ext4.MountRecord;
import io.rdio.core.testing.Command;
import io.rdio.core.testing.LoopDevice;
import io.rdio.core.testing.LoopFileSystem;
import io.rdio.core.time.MonotonicClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A DataNode's volume on a loop device, that an {@link AttackingWriter} writes to.
 *
 * <p>Its readers go by the file behind the loop device, which another host's view of a namespace is
 * most like: a read of the node would have the kernel write its metadata home first.
 */
final class AttackedVolume {
  private static final String STORAGE = "DS-one";

  /** The kernel's time of files lags behind its clock, by less than this. */
  private static final long TICK_MILLIS = 100;

  private AttackedVolume() {}

  /** Formats a device. */
  static void format(LoopDevice loop, String options) throws IOException {
    Command.run("sh", "-c", "mkfs.ext4 -q " + options + " " + loop.node());
    if (options.contains("metadata_csum_seed")) {
      // The seed is what the UUID was: until that is another one, nothing depends on the feature.
      Command.run("tune2fs", "-U", "random", loop.node().toString());
    }
  }

  /** Makes what a storage has but for its mount record. */
  static void begin(LoopFileSystem mounted) throws IOException {
    Path data = mounted.mountPoint().resolve("data");
    Files.createDirectories(data.resolve("current"));
    Files.writeString(
        data.resolve("current/VERSION"),
        "storageID=" + STORAGE + "\nstorageType=DATA_NODE\nlayoutVersion=-57\n");
    Files.createDirectories(finalized(mounted));
    Files.createDirectory(outside(mounted));
  }

  /** The directory that has the blocks. */
  private static Path finalized(LoopFileSystem mounted) {
    return mounted.mountPoint().resolve("data/current/BP-1/current/finalized/subdir0/subdir0");
  }

  /** One for files that are no blocks. */
  private static Path outside(LoopFileSystem mounted) {
    return mounted.mountPoint().resolve("outside");
  }

  /** As {@link AttackingWriter#successor}, on the same file system mounted anew. */
  static AttackingWriter successor(AttackingWriter before, LoopFileSystem mounted, long seed)
      throws IOException {
    return before.successor(finalized(mounted), outside(mounted), seed);
  }

  /** A writer whose blocks are there, durably. */
  static AttackingWriter writer(LoopFileSystem mounted, long seed) throws IOException {
    AttackingWriter writer = new AttackingWriter(finalized(mounted), outside(mounted), seed);
    writer.begin();
    return writer;
  }

  /** The options in effect. */
  static List<String> options(LoopDevice loop) throws IOException {
    return Files.readAllLines(
        Path.of("/proc/fs/ext4", loop.node().getFileName().toString(), "options"));
  }

  /** Says how it is mounted, in a later second than that of the mount. */
  static void writeRecord(LoopFileSystem mounted, LoopDevice loop, List<String> options)
      throws Exception {
    Path file = mounted.mountPoint().resolve("data").resolve(MountRecord.PATH);
    Files.createDirectories(file.getParent());
    Files.deleteIfExists(file);
    Ext4Superblock superblock = Ext4Volume.open(NamedDevice.open(loop.backingFile())).superblock();
    long next = (superblock.mount().mountedSeconds() + 1) * 1000 + TICK_MILLIS;
    while (System.currentTimeMillis() < next) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
    }
    long now = System.currentTimeMillis() / 1000;
    Files.write(file, new MountRecord(STORAGE, superblock.uuid(), now, "test", options).encode());
    Command.run("sync", "-f", file.toString());
  }

  /** What a reader knows of it. */
  static LocatedStorage storage(BlockDevice device, MonotonicClock clock, DeviceCounters counters)
      throws Exception {
    LiveVolume live = LiveVolume.open(device, clock, counters);
    return new LocatedStorage(live, STORAGE, "/data", new StorageOwners(Set.of()));
  }
}
