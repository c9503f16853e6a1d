// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.fenced;

import io.rdio.client.plane.device.StorageOwners;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * Files of a copy, of which nothing is believed that somebody could have made who runs no DataNode,
 * and no symbolic link is followed. Immutable.
 */
record CopiedFiles(StorageOwners owners) {
  private static final int TYPE = 0170000;
  private static final int DIRECTORY = 0040000;
  private static final int FILE = 0100000;

  /** What there is at a path, and who may change it. */
  record Seen(StorageOwners.Owned owned, long size) {
    boolean isDirectory() {
      return (owned.mode() & TYPE) == DIRECTORY;
    }

    boolean isFile() {
      return (owned.mode() & TYPE) == FILE;
    }
  }

  /** Empty where there is nothing. */
  Optional<Seen> see(Path path) throws IOException {
    try {
      Map<String, Object> all =
          Files.readAttributes(path, "unix:uid,gid,mode,size", LinkOption.NOFOLLOW_LINKS);
      return Optional.of(
          new Seen(
              new StorageOwners.Owned(
                  path.toString(),
                  number(all, "uid").intValue(),
                  number(all, "gid").intValue(),
                  number(all, "mode").intValue()),
              number(all, "size").longValue()));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
  }

  private static Number number(Map<String, Object> attributes, String name) throws IOException {
    if (attributes.get(name) instanceof Number number) {
      return number;
    }
    throw new IOException("a file has no " + name);
  }

  /** Whether it is a directory of a storage. */
  boolean isStorageDirectory(Path path) throws IOException {
    Optional<Seen> seen = see(path);
    return seen.isPresent()
        && seen.get().isDirectory()
        && owners.whyNotInside(seen.get().owned()).isEmpty();
  }

  /**
   * A file or directory inside a storage, by a path whose directories are asked one by one.
   *
   * @throws FallbackException REPLICA_NOT_FOUND; STORAGE_UNSUPPORTED where it is not to be believed
   */
  Seen require(Path storage, String path) throws IOException, FallbackException {
    Path at = storage;
    Seen seen = require(at);
    for (String name : path.split("/", -1)) {
      if (!seen.isDirectory()) {
        throw new FallbackException(FallbackReason.REPLICA_NOT_FOUND, at + " is no directory");
      }
      at = at.resolve(name);
      seen = require(at);
    }
    return seen;
  }

  private Seen require(Path path) throws IOException, FallbackException {
    Optional<Seen> seen = see(path);
    if (seen.isEmpty()) {
      throw new FallbackException(FallbackReason.REPLICA_NOT_FOUND, "there is no " + path);
    }
    if (!seen.get().isDirectory() && !seen.get().isFile()) {
      throw new FallbackException(
          FallbackReason.REPLICA_NOT_FOUND, path + " is no directory and no file");
    }
    Optional<String> distrusted = owners.whyNotInside(seen.get().owned());
    if (distrusted.isPresent()) {
      throw new FallbackException(FallbackReason.STORAGE_UNSUPPORTED, distrusted.get());
    }
    return seen.get();
  }
}
