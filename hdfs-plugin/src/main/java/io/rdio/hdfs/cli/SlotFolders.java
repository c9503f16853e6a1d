// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * The slots of remote writes on one volume, {@code <volume>/rdio/slots}, while no DataNode uses it.
 * What is there and is not RDIO's stays, and so do the folders around it. For one thread.
 */
final class SlotFolders {
  private static final String NUMBER = "[0-9]{1,12}";

  // Made, free, lent for a block, or lent to a host that can be shut out by a key (W8).
  private static final String SLOT =
      "[0-9a-f]{16}(\\.[0-9a-f]{16}(\\.-?[0-9]{1,19}\\.[0-9]{1,19}(\\.[0-9a-f]{16})?)?)?";

  private final Path slots;

  /**
   * What was found.
   *
   * @param files of slots
   * @param bytes of them
   * @param holdMillis how long agents may write to some of them from the plugin's end on; 0 if none
   *     of them is lent
   * @param kept links of blocks' files that were to be slots again
   * @param keptBytes of those of them that HDFS has deleted
   * @param strange what RDIO does not make
   */
  record Found(
      List<Path> files,
      long bytes,
      long holdMillis,
      List<Path> kept,
      long keptBytes,
      List<Path> strange) {}

  SlotFolders(Path volume) {
    this.slots = volume.resolve("rdio").resolve("slots");
  }

  /** Where they are. */
  Path root() {
    return slots;
  }

  /** Looks at what is there; changes nothing. */
  Found look() throws IOException {
    List<Path> files = new ArrayList<>();
    List<Path> kept = new ArrayList<>();
    List<Path> strange = new ArrayList<>();
    long hold = 0;
    for (Path kind : list(slots)) {
      switch (name(kind)) {
        case "making" -> addSlots(kind, files, strange);
        case "pool" -> addNumbered(kind, files, strange);
        case "leased" -> hold = addNumbered(kind, files, strange);
        case "kept" -> addSlots(kind, kept, strange);
        default -> strange.add(kind);
      }
    }
    long bytes = 0;
    for (Path file : files) {
      bytes += Files.size(file);
    }
    long keptBytes = 0;
    for (Path link : kept) {
      int names = (Integer) Files.getAttribute(link, "unix:nlink", LinkOption.NOFOLLOW_LINKS);
      keptBytes += names == 1 ? Files.size(link) : 0;
    }
    return new Found(files, bytes, hold, kept, keptBytes, strange);
  }

  /** The highest number of a folder that has slots, 0 if none has. */
  private static long addNumbered(Path kind, List<Path> files, List<Path> strange)
      throws IOException {
    long highest = 0;
    for (Path folder : list(kind)) {
      if (!isFolder(folder) || !name(folder).matches(NUMBER)) {
        strange.add(folder);
      } else if (addSlots(folder, files, strange)) {
        highest = Math.max(highest, Long.parseLong(name(folder)));
      }
    }
    return highest;
  }

  private static boolean addSlots(Path folder, List<Path> files, List<Path> strange)
      throws IOException {
    int before = files.size();
    for (Path file : list(folder)) {
      boolean isSlot =
          Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS) && name(file).matches(SLOT);
      (isSlot ? files : strange).add(file);
    }
    return files.size() > before;
  }

  /**
   * Removes all that RDIO made. To be called when no agent can write any more: {@link
   * Found#holdMillis} after DataNodes were shut out.
   *
   * @return what is still there, and why
   */
  List<String> remove() throws IOException {
    Found found = look();
    for (Path file : found.files()) {
      Files.deleteIfExists(file);
    }
    for (Path link : found.kept()) {
      Files.deleteIfExists(link);
    }
    for (String kind : List.of("pool", "leased")) {
      for (Path folder : list(slots.resolve(kind))) {
        removeIfEmpty(folder);
      }
    }
    for (Path kind : list(slots)) {
      removeIfEmpty(kind);
    }
    removeIfEmpty(slots);
    return found.strange().stream().map(path -> path + " is not RDIO's").toList();
  }

  private static void removeIfEmpty(Path folder) throws IOException {
    if (isFolder(folder) && list(folder).isEmpty()) {
      Files.delete(folder);
    }
  }

  private static boolean isFolder(Path path) {
    return Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS);
  }

  private static List<Path> list(Path folder) throws IOException {
    if (!isFolder(folder)) {
      return List.of();
    }
    try (Stream<Path> entries = Files.list(folder)) {
      return entries.sorted().toList();
    }
  }

  private static String name(Path path) {
    return Objects.toString(path.getFileName(), "");
  }
}
