// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.device;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.rdio.core.ext4.DirectoryEntry;
import io.rdio.core.ext4.Ext4Exception;
import io.rdio.core.ext4.Inode;
import io.rdio.core.ext4.InodeType;
import io.rdio.core.ext4.MountRecord;
import java.io.IOException;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/**
 * Looks for storage directories of DataNodes on one file system. Not below one that it has found,
 * not deeper than {@value #MAX_DEPTH} directories, and not in more than {@value #MAX_DIRECTORIES}.
 */
final class StorageScan {
  static final int MAX_DEPTH = 3;
  static final int MAX_DIRECTORIES = 1000;

  private static final int MAX_VERSION_BYTES = 4096;

  private final OpenVolume opened;
  private final PathWalk walk;
  private final List<Found> found = new ArrayList<>();
  private int directories;

  private StorageScan(OpenVolume opened, BlockTrace trace) {
    this.opened = opened;
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

  /** All of a file system; a {@link Moment.Walk}. */
  static List<Found> all(OpenVolume opened, BlockTrace trace) throws Ext4Exception {
    StorageScan scan = new StorageScan(opened, trace);
    scan.descend(scan.walk.walk("/"), "", 0);
    return scan.found;
  }

  /** The one at a path, if there is one still. */
  static Optional<Found> at(OpenVolume opened, BlockTrace trace, String path) throws Ext4Exception {
    StorageScan scan = new StorageScan(opened, trace);
    return Optional.ofNullable(scan.storage(scan.walk.walk(path), path));
  }

  private void descend(Inode directory, String path, int depth) throws Ext4Exception {
    Found here = storage(directory, path);
    if (here != null) {
      found.add(here);
      return;
    }
    if (depth == MAX_DEPTH) {
      return;
    }
    for (DirectoryEntry entry : walk.list(directory)) {
      boolean goesDown =
          entry.type() == InodeType.DIRECTORY
              && !entry.isDots()
              && !entry.name().equals("lost+found");
      if (goesDown && directories++ < MAX_DIRECTORIES) {
        descend(walk.child(directory, entry.name()), path + "/" + entry.name(), depth + 1);
      }
    }
  }

  private @Nullable Found storage(Inode directory, String path) throws Ext4Exception {
    Inode current = walk.childOrNull(directory, "current");
    Inode version =
        current == null || current.type() != InodeType.DIRECTORY
            ? null
            : walk.childOrNull(current, "VERSION");
    byte[] bytes =
        version == null || version.type() != InodeType.FILE
            ? null
            : walk.bytes(version, MAX_VERSION_BYTES);
    if (bytes == null) {
      return null;
    }
    Properties properties = new Properties();
    try {
      properties.load(new StringReader(new String(bytes, ISO_8859_1)));
      String id = properties.getProperty("storageID", "");
      int layout = Integer.parseInt(properties.getProperty("layoutVersion", "").trim());
      boolean isDataNode = properties.getProperty("storageType", "").equals("DATA_NODE");
      return isDataNode && !id.isEmpty()
          ? new Found(id, path, layout, whyUnfit(directory, id).orElse(null))
          : null;
    } catch (IOException | IllegalArgumentException e) {
      return null; // it has the name and is something else
    }
  }

  private Optional<String> whyUnfit(Inode directory, String storageId) throws Ext4Exception {
    Inode inode = directory;
    for (String name : MountRecord.PATH.split("/", -1)) {
      inode = walk.childOrNull(inode, name);
      if (inode == null) {
        return Optional.of("it has no mount record: RDIO's plugin writes it");
      }
    }
    byte[] bytes = walk.bytes(inode, MountRecord.MAX_BYTES);
    Optional<MountRecord> record = bytes == null ? Optional.empty() : MountRecord.parse(bytes);
    if (record.isEmpty() || !record.get().storageId().equals(storageId)) {
      return Optional.of("its mount record cannot be read, or is another storage's");
    }
    if (!MountRecord.isOf(opened.home().superblock().mount(), inode)) {
      return Optional.of("its mount record is of an earlier mount");
    }
    return record.get().whyUnfit();
  }
}
