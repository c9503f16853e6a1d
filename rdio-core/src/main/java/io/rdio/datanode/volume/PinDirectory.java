// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.volume;

import io.rdio.core.block.BlockKey;
import io.rdio.core.linux.DurableFiles;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The side directory of one volume that holds the hard links: {@code
 * <volumeRoot>/rdio/pins/<holdMillis>/}. It is beside {@code current/}, where no scanner of HDFS
 * looks. The time that a pin must be kept is in the path, so that the next incarnation honours it
 * whatever its own configuration says. Thread-safe.
 */
public final class PinDirectory {
  private static final Set<PosixFilePermission> OWNER_ONLY =
      PosixFilePermissions.fromString("rwx------");

  private static final SecureRandom RANDOM = new SecureRandom();
  private static final String PINS = "pins";

  private static final Logger LOG = LoggerFactory.getLogger(PinDirectory.class);

  private final Path volumeRoot;
  private final Path rdio;
  private final Path pins;
  private final Path directory;
  private final String namePrefix = Long.toHexString(RANDOM.nextLong());
  private final AtomicLong lastName = new AtomicLong();

  /** A link found at the start, and how long it must be kept from then on. */
  record Leftover(Path link, long holdMillis) {}

  public PinDirectory(Path volumeRoot, long holdMillis) {
    this.volumeRoot = volumeRoot;
    this.rdio = of(volumeRoot);
    this.pins = rdio.resolve(PINS);
    this.directory = pins.resolve(Long.toString(holdMillis));
  }

  /** All that RDIO keeps on a volume. */
  static Path of(Path volumeRoot) {
    return volumeRoot.resolve("rdio");
  }

  /** Makes the directory, durably, for its owner alone. */
  public void create() throws IOException {
    Path parent = volumeRoot;
    for (Path path : List.of(rdio, pins, directory)) {
      try {
        Files.createDirectory(path, PosixFilePermissions.asFileAttribute(OWNER_ONLY));
      } catch (FileAlreadyExistsException e) {
        if (!Files.isDirectory(path)) {
          throw (IOException) new NotDirectoryException(path.toString()).initCause(e);
        }
        Files.setPosixFilePermissions(path, OWNER_ONLY);
      }
      DurableFiles.syncDirectory(parent);
      parent = path;
    }
  }

  /** Where the links of a pin are to be, under a name that no other pin ever has. */
  public PinnedFiles files(BlockKey block) {
    String name =
        String.join(
            ".",
            block.poolId(),
            Long.toString(block.blockId()),
            Long.toString(block.generationStamp()),
            namePrefix,
            Long.toString(lastName.incrementAndGet()));
    return new PinnedFiles(directory.resolve(name + ".data"), directory.resolve(name + ".meta"));
  }

  /** Links both files; where that fails, one link may be there. */
  public static void link(Replica replica, PinnedFiles files) throws IOException {
    Files.createLink(files.block(), replica.blockFile());
    Files.createLink(files.meta(), replica.metaFile());
  }

  /** Makes the files' data and the allocation of their extents durable. */
  public static void syncFiles(PinnedFiles files) throws IOException {
    DurableFiles.syncFile(files.block());
    DurableFiles.syncFile(files.meta());
  }

  /** Makes the links made so far durable. */
  public void syncLinks() throws IOException {
    DurableFiles.syncDirectory(directory);
  }

  /** Every link that an earlier incarnation left, finished or not. */
  List<Leftover> leftovers() throws IOException {
    List<Leftover> found = new ArrayList<>();
    if (!Files.isDirectory(pins, LinkOption.NOFOLLOW_LINKS)) {
      return found;
    }
    for (Path term : list(pins)) {
      String name = Objects.toString(term.getFileName(), "");
      if (!name.matches("[0-9]{1,12}") || !Files.isDirectory(term, LinkOption.NOFOLLOW_LINKS)) {
        LOG.warn("{} is not a directory of pins and is left alone; remove it by hand", term);
        continue;
      }
      for (Path link : list(term)) {
        found.add(new Leftover(link, Long.parseLong(name)));
      }
    }
    return found;
  }

  private static List<Path> list(Path directory) throws IOException {
    try (Stream<Path> entries = Files.list(directory)) {
      return entries.toList();
    }
  }
}
