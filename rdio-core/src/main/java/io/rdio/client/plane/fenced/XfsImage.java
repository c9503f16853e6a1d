// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.fenced;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.BufferedInputStream;
import java.io.BufferedReader;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;

/**
 * The metadata of an xfs in a sparse file, made complete in three steps. What the trees at home
 * lead to is what xfs_metadump copies. That alone does not do: what the log changes in parts, or
 * leads to, need not be reached by trees that are older than the log. So the blocks that the log
 * names are copied too, before it is replayed; and behind that, until there is nothing left, those
 * that the trees lead to now and the file does not have: no transaction of the log touched them, so
 * they are at home as they are. For one thread.
 */
final class XfsImage {
  static final int SECTOR = 512;

  /** Of one level of trees each; more than xfs has. */
  private static final int ROUNDS_MAX = 30;

  /** What a sparse file grows by, on most file systems. */
  private static final int GROWTH = 4096;

  private final Tools tools;
  private final Loop view;
  private final Path folder;
  private final Path file;
  private final long bytesMax;
  private final XfsGeometry geometry;
  private final Sectors known = new Sectors();

  /**
   * @param view of the device
   * @param folder that has only this in it
   * @param bytesMax that each of its files may have, but for what is sparse; there are two at once
   * @throws IOException also if that is no xfs of which each block of metadata has a checksum:
   *     without, one that is missing would be taken for an empty one
   */
  XfsImage(Tools tools, Loop view, Path folder, long bytesMax) throws IOException {
    this.tools = tools;
    this.view = view;
    this.folder = folder;
    this.file = folder.resolve("image");
    this.bytesMax = bytesMax;
    ByteBuffer start = ByteBuffer.allocate(SECTOR);
    readFully(view.channel(), start, 0);
    this.geometry = XfsGeometry.parse(start);
  }

  Path file() {
    return file;
  }

  /** Copies what is reached by trees, and what the log names. */
  void copy(long deviceBytes, long spareBytes) throws IOException {
    Path dump = dump(view.node());
    know(read(dump));
    tools.run("xfs_mdrestore", dump.toString(), file.toString());
    Files.delete(dump);
    try (FileChannel image = openImage()) {
      // No device of anybody has this size, for which it could be taken.
      image.write(ByteBuffer.allocate(1), deviceBytes + spareBytes - 1);
      Sectors named = namedByLog(deviceBytes / SECTOR).without(known);
      know(named);
      fill(image, named);
    }
  }

  /**
   * Copies what is missing.
   *
   * @param mounts has the file mounted and unmounted, so that its log is empty
   * @throws IOException also where there is no end of it
   */
  void complete(Replay mounts) throws IOException {
    mounts.run();
    for (int i = 0; i < ROUNDS_MAX; i++) {
      Sectors missing;
      try (FileChannel image = openImage()) {
        missing = missing(image);
        know(missing);
        fill(image, missing);
      }
      if (missing.isEmpty()) {
        return;
      }
    }
    throw new IOException("its metadata leads to ever more of it");
  }

  /** Replays the log of an image. */
  @FunctionalInterface
  interface Replay {
    void run() throws IOException;
  }

  private FileChannel openImage() throws IOException {
    return FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
  }

  private Path dump(Path node) throws IOException {
    Path dump = folder.resolve("dump");
    tools.run(
        new Tools.Growth(dump, bytesMax),
        folder.resolve("out"),
        "xfs_metadump",
        "-a", // blocks as they are, also what is behind their end
        "-o", // names as they are
        "-w",
        node.toString(),
        dump.toString());
    return dump;
  }

  /** What the image is to have too. Its length says nothing of its size, for it is sparse. */
  private void know(Sectors sectors) throws IOException {
    known.addAll(sectors);
    requireRoom(known, bytesMax);
  }

  static void requireRoom(Sectors sectors, long bytesMax) throws IOException {
    if (sectors.blocks(GROWTH / SECTOR) > bytesMax / GROWTH) {
      throw new IOException("its metadata has more than " + bytesMax + " bytes: too much");
    }
  }

  private static Sectors read(Path dump) throws IOException {
    try (DataInputStream in =
        new DataInputStream(new BufferedInputStream(Files.newInputStream(dump), 1 << 20))) {
      return Sectors.ofDump(in);
    }
  }

  /** All of each, whole: a program that fails in the midst has not named all. */
  private Sectors namedByLog(long deviceSectors) throws IOException {
    Path out = folder.resolve("log");
    tools.run(new Tools.Growth(out, bytesMax), out, "xfs_logprint", "-t", view.node().toString());
    Sectors named;
    try (BufferedReader lines = Files.newBufferedReader(out, ISO_8859_1)) {
      named = XfsLogText.named(lines, geometry, deviceSectors);
    }
    Files.delete(out);
    return named;
  }

  /** What the trees lead to now and was never copied, nor written by the replay. */
  private Sectors missing(FileChannel image) throws IOException {
    Path dump;
    try (Loop loop = Loop.of(tools, file)) {
      dump = dump(loop.node());
    }
    Sectors reached = read(dump).without(known);
    Files.delete(dump);
    Sectors missing = new Sectors();
    int perBlock = geometry.blockSize() / SECTOR;
    for (Map.Entry<Long, Long> run : reached.runs().entrySet()) {
      for (long at = run.getKey(); at < run.getValue(); at = (at / perBlock + 1) * perBlock) {
        if (isZero(image, at / perBlock * perBlock)) {
          missing.add(at, Math.min(run.getValue(), (at / perBlock + 1) * perBlock));
        }
      }
    }
    return missing;
  }

  /** Whether all of a block of the file system is: no block of metadata that is whole is so. */
  private boolean isZero(FileChannel image, long sector) throws IOException {
    ByteBuffer block = ByteBuffer.allocate(geometry.blockSize());
    readFully(image, block, sector * SECTOR);
    return block.flip().mismatch(ByteBuffer.allocate(geometry.blockSize())) < 0;
  }

  private void fill(FileChannel image, Sectors wanted) throws IOException {
    for (Map.Entry<Long, Long> run : wanted.runs().entrySet()) {
      long at = run.getKey() * SECTOR;
      long end = run.getValue() * SECTOR;
      while (at < end) {
        ByteBuffer bytes = ByteBuffer.allocate((int) Math.min(end - at, 1 << 20));
        readFully(view.channel(), bytes, at);
        bytes.flip();
        while (bytes.hasRemaining()) {
          at += image.write(bytes, at);
        }
      }
    }
  }

  private static void readFully(FileChannel from, ByteBuffer target, long offset)
      throws IOException {
    long at = offset;
    while (target.hasRemaining()) {
      int got = from.read(target, at);
      if (got < 0) {
        throw new IOException("it ends at " + at);
      }
      at += got;
    }
  }
}
