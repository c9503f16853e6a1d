// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.volume;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What the file system says of a file by one of its names.
 *
 * @param names that it has, that one included
 * @param inode number, which no other file of the volume has meanwhile
 */
record LinkedFile(int names, long inode, long bytes) {
  private static final String ATTRIBUTES = "unix:nlink,ino,size";

  static LinkedFile of(Path link) throws IOException {
    Map<String, Object> found = Files.readAttributes(link, ATTRIBUTES, LinkOption.NOFOLLOW_LINKS);
    return new LinkedFile(
        (Integer) Objects.requireNonNull(found.get("nlink")),
        (Long) Objects.requireNonNull(found.get("ino")),
        (Long) Objects.requireNonNull(found.get("size")));
  }

  /** Null where that name is gone. */
  static @Nullable LinkedFile ofOrNull(Path link) throws IOException {
    try {
      return of(link);
    } catch (NoSuchFileException e) {
      return null;
    }
  }
}
