// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.testbed;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;
import java.util.zip.CheckedInputStream;

/**
 * What is in the finalized blocks of some volumes, and in their meta files, at one time. Nobody may
 * change any of them: HDFS has them deleted, and makes others.
 *
 * @param files all of them, and what is in each
 */
record BlockContents(Map<Path, Content> files) {
  private static final Pattern NAME = Pattern.compile("blk_-?[0-9]+(?:_[0-9]+\\.meta)?");
  private static final Pattern BLOCK = Pattern.compile("blk_-?[0-9]+");

  /** HDFS's folder of them. */
  private static final Path FINALIZED = Path.of("finalized");

  /** So many bytes with this CRC-32C. */
  record Content(long bytes, long crc) {}

  /**
   * Reads all of them, through the page cache. What is deleted meanwhile may be missing.
   *
   * @param datas storage directories of DataNodes
   */
  static BlockContents of(List<Path> datas) throws IOException {
    Map<Path, Content> files = new TreeMap<>();
    for (Path data : datas) {
      Files.walkFileTree(data.resolve("current"), new Reader(files));
    }
    return new BlockContents(files);
  }

  private static final class Reader extends SimpleFileVisitor<Path> {
    private final Map<Path, Content> files;

    Reader(Map<Path, Content> files) {
      this.files = files;
    }

    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
      if (NAME.matcher(nameOf(file)).matches() && isFinalized(file)) {
        try {
          files.put(file, content(file));
        } catch (NoSuchFileException e) {
          // HDFS has deleted it.
        }
      }
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFileFailed(Path file, IOException failure) throws IOException {
      if (failure instanceof NoSuchFileException) {
        return FileVisitResult.CONTINUE;
      }
      throw failure;
    }

    private static boolean isFinalized(Path file) {
      for (Path part : file) {
        if (part.equals(FINALIZED)) {
          return true;
        }
      }
      return false;
    }
  }

  private static String nameOf(Path file) {
    return Objects.toString(file.getFileName(), "");
  }

  private static Content content(Path file) throws IOException {
    CRC32C crc = new CRC32C();
    try (InputStream in = new CheckedInputStream(Files.newInputStream(file), crc)) {
      long bytes = in.transferTo(OutputStream.nullOutputStream());
      return new Content(bytes, crc.getValue());
    }
  }

  /** Files that were there before, still are, and have something else in them now. */
  Set<Path> changedSince(BlockContents earlier) {
    Set<Path> changed = new TreeSet<>();
    files.forEach(
        (file, content) -> {
          if (!content.equals(earlier.files.getOrDefault(file, content))) {
            changed.add(file);
          }
        });
    return changed;
  }

  /** Blocks, by their files' names, of which two volumes have different bytes. */
  Set<String> unequalReplicas() {
    Map<String, Content> first = new HashMap<>();
    Set<String> unequal = new TreeSet<>();
    files.forEach(
        (file, content) -> {
          String name = nameOf(file);
          Content other = first.putIfAbsent(name, content);
          if (BLOCK.matcher(name).matches() && other != null && !other.equals(content)) {
            unequal.add(name);
          }
        });
    return unequal;
  }
}
