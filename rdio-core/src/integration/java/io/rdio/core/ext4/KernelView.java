// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.ext4;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rdio.core.linux.KernelFile;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.CRC32C;

/**
 * A mounted file system as the kernel shows it by readdir, stat, FIEMAP and read: to be compared
 * with what is read from its device. Remembered, so that it can be compared after the unmount too.
 */
final class KernelView {
  /** Flags of an inode that the kernel shows, and that say how it is to be read. */
  private static final int FLAGS =
      Inode.FLAG_INDEX | Inode.FLAG_EXTENTS | Inode.FLAG_INLINE_DATA | Inode.FLAG_JOURNAL_DATA;

  /** More than is ever allocated behind a file's size. */
  private static final long BEHIND = 64L << 20;

  private static final long MAX_CONTENT = 256 << 10;
  private static final int LOOKUPS = 40;

  private final Map<Long, Seen> inodes = new TreeMap<>();
  private final boolean withContent;
  private int refused;

  /** What stat says of an inode, and FS_IOC_GETFLAGS. */
  private record Status(long inode, int mode, long size, int links, int flags) {
    InodeType type() {
      return InodeType.ofMode(mode);
    }

    boolean isInline() {
      return (flags & Inode.FLAG_INLINE_DATA) != 0;
    }
  }

  /** A run of a file in one piece, in bytes. */
  private record Run(long logical, long physical, long length, boolean unwritten) {}

  /**
   * @param names of a directory, with their inodes
   * @param runs of a file
   * @param crc of a file's content; -1 where it was not read
   */
  private record Seen(
      Path path, Status status, Map<String, Long> names, List<Run> runs, long crc) {}

  private KernelView(boolean withContent) {
    this.withContent = withContent;
  }

  /**
   * What the kernel shows now.
   *
   * @param withContent whether files' content is read too
   */
  static KernelView of(Path root, boolean withContent) throws IOException {
    KernelView view = new KernelView(withContent);
    Deque<Path> paths = new ArrayDeque<>(List.of(root));
    for (Path path = paths.poll(); path != null; path = paths.poll()) {
      Status status = status(path);
      if (!view.inodes.containsKey(status.inode())) {
        view.inodes.put(status.inode(), view.seen(path, status, paths));
      }
    }
    return view;
  }

  private Seen seen(Path path, Status status, Deque<Path> paths) throws IOException {
    Map<String, Long> names = new TreeMap<>();
    if (status.type() == InodeType.DIRECTORY) {
      try (DirectoryStream<Path> children = Files.newDirectoryStream(path)) {
        for (Path child : children) {
          names.put(child.getFileName().toString(), inode(child));
          paths.add(child);
        }
      }
    }
    boolean isFile = status.type() == InodeType.FILE;
    boolean isRead = withContent && isFile && status.size() <= MAX_CONTENT;
    return new Seen(
        path,
        status,
        names,
        isFile ? runs(path, status) : List.of(),
        isRead ? crc(Files.readAllBytes(path)) : -1);
  }

  private static long inode(Path path) throws IOException {
    return (Long) Files.getAttribute(path, "unix:ino", LinkOption.NOFOLLOW_LINKS);
  }

  private static Status status(Path path) throws IOException {
    Map<String, Object> stat =
        Files.readAttributes(path, "unix:ino,mode,size,nlink", LinkOption.NOFOLLOW_LINKS);
    int mode = (Integer) stat.get("mode");
    InodeType type = InodeType.ofMode(mode);
    // Others cannot be opened, or whoever opens them waits.
    boolean hasFlags = type == InodeType.FILE || type == InodeType.DIRECTORY;
    return new Status(
        (Long) stat.get("ino"),
        mode,
        (Long) stat.get("size"),
        (Integer) stat.get("nlink"),
        hasFlags ? KernelFile.flags(path) & FLAGS : 0);
  }

  private static List<Run> runs(Path path, Status status) throws IOException {
    List<Run> runs = new ArrayList<>();
    for (KernelFile.Piece piece : KernelFile.pieces(path, status.size() + BEHIND)) {
      assertThat(piece.isInline()).as("inline data of %s", path).isEqualTo(status.isInline());
      add(runs, new Run(piece.logical(), piece.physical(), piece.length(), piece.isUnwritten()));
    }
    return runs;
  }

  /** Takes in a run, as a part of the last one where it continues that. */
  private static void add(List<Run> runs, Run run) {
    Run last = runs.isEmpty() ? new Run(-1, -1, 0, false) : runs.get(runs.size() - 1);
    boolean adjoins =
        last.logical() + last.length() == run.logical()
            && last.physical() + last.length() == run.physical()
            && last.unwritten() == run.unwritten();
    if (adjoins) {
      runs.remove(runs.size() - 1);
      runs.add(
          new Run(last.logical(), last.physical(), last.length() + run.length(), run.unwritten()));
    } else {
      runs.add(run);
    }
  }

  private static long crc(byte[] bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes);
    return crc.getValue();
  }

  /** Directories that have a tree of hashes. */
  long indexed() {
    return inodes.values().stream()
        .filter(seen -> (seen.status().flags() & Inode.FLAG_INDEX) != 0)
        .filter(seen -> seen.status().type() == InodeType.DIRECTORY)
        .count();
  }

  int size() {
    return inodes.size();
  }

  /** Questions that were refused, all of them where data is inline. */
  int refused() {
    return refused;
  }

  /** Fails at the first inode that the reader has another view of than the kernel has. */
  void compare(Ext4Volume volume) throws Exception {
    for (Seen seen : inodes.values()) {
      Inode inode = volume.inode(seen.status().inode());
      assertThat(statusOf(inode)).as("%s", seen.path()).isEqualTo(seen.status());
      if (seen.status().isInline()) {
        requireRefusal(volume, seen, inode);
      } else if (seen.status().type() == InodeType.DIRECTORY) {
        compareNames(volume, seen, inode);
      } else if (seen.status().type() == InodeType.FILE) {
        compareFile(volume, seen, inode);
      }
    }
  }

  private static Status statusOf(Inode inode) {
    boolean hasFlags = inode.type() == InodeType.FILE || inode.type() == InodeType.DIRECTORY;
    return new Status(
        inode.number(),
        inode.mode(),
        inode.size(),
        inode.links(),
        hasFlags ? inode.flags() & FLAGS : 0);
  }

  private void requireRefusal(Ext4Volume volume, Seen seen, Inode inode) {
    assertThat(volume.superblock().features().has(Feature.INLINE_DATA)).isTrue();
    Ext4Exception refusal =
        catchThrowableOfType(
            Ext4Exception.class,
            () -> {
              if (seen.status().type() == InodeType.DIRECTORY) {
                volume.list(inode);
              } else {
                volume.extents(inode);
              }
            });
    assertThat(refusal).as("%s", seen.path()).isNotNull().hasMessageContaining("inline_data");
    assertThat(refusal.kind()).isEqualTo(Ext4Exception.Kind.UNSUPPORTED);
    refused++;
  }

  private void compareNames(Ext4Volume volume, Seen seen, Inode directory) throws Exception {
    boolean typed = volume.superblock().features().has(Feature.FILETYPE);
    Map<String, Long> names = new TreeMap<>();
    for (DirectoryEntry entry : volume.list(directory)) {
      if (!entry.isDots()) {
        assertThat(names.put(entry.name(), entry.inode())).as("%s twice", entry).isNull();
        Seen child = inodes.get(entry.inode());
        assertThat(child).as("%s in %s", entry, seen.path()).isNotNull();
        assertThat(entry.type())
            .as("%s in %s", entry, seen.path())
            .isEqualTo(typed ? child.status().type() : InodeType.UNKNOWN);
      }
    }
    assertThat(names).as("names in %s", seen.path()).isEqualTo(seen.names());
    int step = 1 + names.size() / LOOKUPS;
    int at = 0;
    for (Map.Entry<String, Long> each : names.entrySet()) {
      if (at++ % step == 0) {
        assertThat(volume.child(directory, each.getKey()).number()).isEqualTo(each.getValue());
      }
    }
    Ext4Exception absent =
        catchThrowableOfType(Ext4Exception.class, () -> volume.child(directory, "never there"));
    assertThat(absent.kind()).isEqualTo(Ext4Exception.Kind.NOT_FOUND);
  }

  private static void compareFile(Ext4Volume volume, Seen seen, Inode inode) throws Exception {
    long blockSize = volume.superblock().blockSize();
    List<Run> runs = new ArrayList<>();
    for (FileExtent extent : volume.extents(inode)) {
      add(
          runs,
          new Run(
              extent.logical() * blockSize,
              extent.physical() * blockSize,
              extent.length() * blockSize,
              extent.unwritten()));
    }
    assertThat(runs).as("extents of %s", seen.path()).isEqualTo(seen.runs());
    if (seen.crc() >= 0) {
      assertThat(crc(DebugfsWalk.bytes(volume, inode)))
          .as("content of %s", seen.path())
          .isEqualTo(seen.crc());
    }
  }
}
