// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.testbed;

import io.rdio.core.FallbackException;
import io.rdio.core.linux.Fiemap;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Slots and blocks of one volume, as its file system shows them to whoever may look.
 *
 * @param data storage directory of the DataNode
 */
record SlotFolder(Path data) {
  private static final Pattern BLOCK = Pattern.compile("blk_[0-9]+");

  /** Those of DataNodes' volumes, of the first DataNode its first one. */
  static List<SlotFolder> of(List<Host> dataNodes) {
    return dataNodes.stream().map(SlotFolder::of).toList();
  }

  private static SlotFolder of(Host dataNode) {
    return new SlotFolder(Fabric.volume(dataNode).resolve("data"));
  }

  /** Those that are lent, or in quarantine. */
  List<Path> leased() throws IOException {
    List<Path> slots = new ArrayList<>();
    for (Path folder : list(data.resolve("rdio/slots/leased"))) {
      slots.addAll(list(folder));
    }
    return slots;
  }

  /** Those of the pool that have so many bytes. */
  List<Path> free(long bytes) throws IOException {
    Path folder = data.resolve("rdio/slots/pool").resolve(Long.toString(bytes));
    return Files.isDirectory(folder) ? list(folder) : List.of();
  }

  /** Whether none is lent, or in quarantine, and so many of so many bytes are free. */
  boolean isSettled(int slots, long bytes) throws IOException {
    try {
      return leased().isEmpty() && free(bytes).size() >= slots;
    } catch (NoSuchFileException e) {
      return false; // the DataNode has just begun
    }
  }

  /**
   * Hold links of what agents committed (W6): they go of themselves.
   *
   * @param ioTimeMax the DataNode's {@code I}, which is as long as they stay
   */
  List<Path> held(Duration ioTimeMax) throws IOException {
    Path folder = data.resolve("rdio/pins").resolve(Long.toString(ioTimeMax.toMillis()));
    return Files.isDirectory(folder) ? list(folder) : List.of();
  }

  private static List<Path> list(Path folder) throws IOException {
    try (Stream<Path> entries = Files.list(folder)) {
      return entries.toList();
    }
  }

  /** Where on its device a file begins. */
  static long place(Path file) throws IOException {
    try {
      return Fiemap.extents(file, Files.size(file)).physical(0);
    } catch (FallbackException e) {
      throw new IOException(file + " cannot be mapped", e);
    }
  }

  /** Whether a block file begins at a place of the device; false, too, while blocks come and go. */
  boolean hasBlockAt(long place) throws IOException {
    try (Stream<Path> files = Files.walk(data.resolve("current"))) {
      for (Path file : files.filter(SlotFolder::isBlock).toList()) {
        if (isAt(file, place)) {
          return true;
        }
      }
      return false;
    } catch (UncheckedIOException e) {
      return false;
    }
  }

  private static boolean isBlock(Path file) {
    return BLOCK.matcher(Objects.toString(file.getFileName(), "")).matches();
  }

  private static boolean isAt(Path file, long place) throws IOException {
    try {
      return Files.size(file) > 0 && place(file) == place;
    } catch (NoSuchFileException e) {
      return false;
    }
  }
}
