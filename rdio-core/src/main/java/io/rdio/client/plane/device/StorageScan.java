// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.device;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.ext4.DirectoryEntry;
import io.rdio.core.ext4.Ext4Exception;
import io.rdio.core.ext4.Inode;
import io.rdio.core.ext4.InodeType;
import io.rdio.core.ext4.MountRecord;
import io.rdio.core.time.MonotonicClock;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Looks for storage directories of DataNodes on one file system, breadth first. Not below one that
 * it has found, not deeper than {@value #MAX_DEPTH} directories, and not where somebody may write
 * who runs no DataNode. What it cannot read it leaves out and names.
 */
final class StorageScan {
  static final int MAX_DEPTH = 3;
  static final int MAX_DIRECTORIES = 1000;

  /** Of a whole file system. */
  static final long MAX_NANOS = TimeUnit.SECONDS.toNanos(5);

  private static final int MAX_SKIPPED = 10;

  private final OpenVolume opened;
  private final StorageOwners owners;
  private final PathWalk walk;

  private StorageScan(OpenVolume opened, BlockTrace trace, StorageOwners owners) {
    this.opened = opened;
    this.owners = owners;
    this.walk = new PathWalk(opened, trace);
  }

  /**
   * A storage directory.
   *
   * @param path from the file system's root
   * @param layoutVersion of HDFS; newer ones are lower
   * @param unfit why its files must not be read without the DataNode; null if they may be
   */
  record Found(String storageId, String path, int layoutVersion, @Nullable String unfit) {}

  /**
   * What a file system has.
   *
   * @param skipped where nothing was looked for, and why; not all of it
   */
  record Report(List<Found> found, List<String> skipped) {
    private void skip(String what) {
      if (skipped.size() < MAX_SKIPPED) {
        skipped.add(what);
      }
    }
  }

  /** A directory by its inode, which is read in another moment than the name that led there. */
  private record Place(String path, long inode, int depth) {}

  /** What a directory is, or has: at most one of the two. */
  private record Listed(@Nullable Found found, List<Place> below, @Nullable String skipped) {
    static Listed nothing(@Nullable String why) {
      return new Listed(null, List.of(), why);
    }
  }

  /**
   * All of a file system. Each directory is a {@link Moment} of its own; a storage is looked at
   * again, with all of its path, before anything is read by it.
   *
   * @throws FallbackException what the device came to, or INTERRUPTED
   */
  static Report all(LiveVolume live, StorageOwners owners, MonotonicClock clock)
      throws FallbackException {
    Report report = new Report(new ArrayList<>(), new ArrayList<>());
    Queue<Place> places = new ArrayDeque<>();
    places.add(new Place("", live.current().volume().rootInode(), 0));
    long began = clock.nanos();
    for (int i = 0; !places.isEmpty(); i++) {
      if (i == MAX_DIRECTORIES || clock.nanos() - began > MAX_NANOS) {
        report.skip(places.size() + " directories, after " + i + " that were looked into");
        break;
      }
      Place place = places.remove();
      Listed listed = list(live, owners, place);
      if (listed.found() != null) {
        report.found().add(listed.found());
      }
      if (listed.skipped() != null) {
        report.skip(place.path() + "/" + ": " + listed.skipped());
      }
      if (places.size() <= MAX_DIRECTORIES) { // more are not looked into anyway
        places.addAll(listed.below());
      }
    }
    return report;
  }

  private static Listed list(LiveVolume live, StorageOwners owners, Place place)
      throws FallbackException {
    try {
      return Moment.of(
              live,
              place.path() + "/",
              (opened, trace) -> new StorageScan(opened, trace, owners).list(place))
          .found();
    } catch (FallbackException e) {
      FallbackReason reason = e.reason();
      boolean isOfDirectory =
          reason == FallbackReason.EXTENTS_UNMAPPABLE
              || reason == FallbackReason.REPLICA_NOT_FOUND
              || reason == FallbackReason.METADATA_UNREADABLE
              || reason == FallbackReason.VOLUME_STALLED;
      if (!isOfDirectory) {
        throw e;
      }
      return Listed.nothing(e.detail());
    }
  }

  /** The one at a path, if there is one still, and the way to it is to be believed. */
  static Optional<Found> at(OpenVolume opened, BlockTrace trace, String path, StorageOwners owners)
      throws Ext4Exception {
    StorageScan scan = new StorageScan(opened, trace, owners);
    Inode inode = scan.walk.root();
    for (String name : path.split("/", -1)) {
      if (!name.isEmpty()) {
        if (owners.whyNotOnTheWay(inode).isPresent()) {
          return Optional.empty();
        }
        inode = scan.walk.child(inode, name);
      }
    }
    return Optional.ofNullable(scan.storage(inode, path));
  }

  private Listed list(Place place) throws Ext4Exception {
    Inode directory = walk.inode(place.inode());
    if (directory.type() != InodeType.DIRECTORY) {
      return Listed.nothing(null); // it was one when it was listed
    }
    Found here = storage(directory, place.path());
    if (here != null) {
      return new Listed(here, List.of(), null);
    }
    Optional<String> distrusted = owners.whyNotOnTheWay(directory);
    if (distrusted.isPresent() || place.depth() == MAX_DEPTH) {
      return Listed.nothing(distrusted.orElse(null));
    }
    Below below = new Below(place);
    walk.visit(directory, below::take);
    return new Listed(null, below.places, below.odd);
  }

  /** The directories in one, of which no more are kept than are looked into. */
  private static final class Below {
    private final Place above;
    private final List<Place> places = new ArrayList<>();
    private @Nullable String odd;

    Below(Place above) {
      this.above = above;
    }

    /** Whether there is room for more. */
    boolean take(DirectoryEntry entry) {
      boolean isOne =
          entry.type() == InodeType.DIRECTORY
              && !entry.isDots()
              && !entry.name().equals("lost+found");
      if (isOne && entry.name().indexOf('\uFFFD') >= 0) {
        odd = "a name that is no UTF-8, of inode " + entry.inode();
      } else if (isOne) {
        String path = above.path() + "/" + entry.name();
        places.add(new Place(path, entry.inode(), above.depth() + 1));
      }
      return places.size() < MAX_DIRECTORIES;
    }
  }

  private @Nullable Found storage(Inode directory, String path) throws Ext4Exception {
    Inode current = trusted(directory) ? walk.childOrNull(directory, "current") : null;
    Inode version =
        current == null || current.type() != InodeType.DIRECTORY || !trusted(current)
            ? null
            : walk.childOrNull(current, "VERSION");
    byte[] bytes =
        version == null || version.type() != InodeType.FILE || !trusted(version)
            ? null
            : walk.bytes(version, StorageVersion.MAX_BYTES);
    if (bytes == null) {
      return null;
    }
    Optional<StorageVersion> said = StorageVersion.parse(bytes);
    if (said.isEmpty()) {
      return null; // it has the name and is something else
    }
    String id = said.get().storageId();
    return new Found(id, path, said.get().layoutVersion(), whyUnfit(directory, id).orElse(null));
  }

  private boolean trusted(Inode inode) {
    return owners.whyNotInside(inode).isEmpty();
  }

  private Optional<String> whyUnfit(Inode directory, String storageId) throws Ext4Exception {
    Inode inode = directory;
    for (String name : MountRecord.PATH.split("/", -1)) {
      inode = walk.childOrNull(inode, name);
      if (inode == null) {
        return Optional.of("it has no mount record: RDIO's plugin writes it");
      }
      Optional<String> distrusted = owners.whyNotInside(inode);
      if (distrusted.isPresent()) {
        return distrusted;
      }
    }
    byte[] bytes = walk.bytes(inode, MountRecord.MAX_BYTES);
    Optional<MountRecord> record = bytes == null ? Optional.empty() : MountRecord.parse(bytes);
    if (record.isEmpty() || !record.get().storageId().equals(storageId)) {
      return Optional.of("its mount record cannot be read, or is another storage's");
    }
    Optional<String> other = record.get().whyNotOf(opened.home().superblock(), inode);
    return other.isPresent() ? other : record.get().whyUnfit();
  }
}
