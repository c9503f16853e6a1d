// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.volume;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Links of pinned files by which these are to be slots again when HDFS has deleted their blocks
 * (W15 of docs/remote-writes.md). A file that has no name but a pin and such a link is that of a
 * deleted block. Thread-safe.
 */
public final class KeptLinks {
  static final KeptLinks NONE = new KeptLinks(Map.of());

  private final Map<Long, Path> byInode;

  private KeptLinks(Map<Long, Path> byInode) {
    this.byInode = byInode;
  }

  /** Where they are on a volume. */
  public static Path folder(Path volumeRoot) {
    return PinDirectory.of(volumeRoot).resolve("slots").resolve("kept");
  }

  /**
   * Finds those of files with two names, of which one is a pin. Looks at each file that is kept on
   * the volume if there is such a pin: a system call, of some 6 µs.
   *
   * @param pins links of pins, which may go meanwhile
   */
  static KeptLinks find(Path volumeRoot, List<Path> pins) throws IOException {
    Path folder = folder(volumeRoot);
    if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
      return NONE;
    }
    Set<Long> wanted = new HashSet<>();
    for (Path pin : pins) {
      LinkedFile file = LinkedFile.ofOrNull(pin);
      if (file != null && file.names() == 2) {
        wanted.add(file.inode());
      }
    }
    return wanted.isEmpty() ? NONE : find(folder, wanted);
  }

  private static KeptLinks find(Path folder, Set<Long> wanted) throws IOException {
    Map<Long, Path> found = new HashMap<>();
    try (DirectoryStream<Path> links = Files.newDirectoryStream(folder)) {
      for (Path link : links) {
        LinkedFile file = LinkedFile.ofOrNull(link);
        if (file != null && wanted.contains(file.inode())) {
          found.put(file.inode(), link);
        }
      }
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
    return new KeptLinks(Map.copyOf(found));
  }

  /** Whether a file has had such a link since these were found, and has it still. */
  boolean has(LinkedFile file) throws IOException {
    Path link = byInode.get(file.inode());
    if (link == null) {
      return false;
    }
    LinkedFile now = LinkedFile.ofOrNull(link);
    return now != null && now.inode() == file.inode();
  }
}
