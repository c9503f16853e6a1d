// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.twolevel;

import io.rdio.hdfs.cluster.Shell;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;

/**
 * A data set of many files with many extents each: blocks lie in pieces, behind each of which is a
 * hole of one block, so that no two pieces are one extent wherever the file system puts them. A
 * file has its length before it is written: behind a file's end xfs takes space ahead, and has
 * zeros in the holes that come to lie in that.
 *
 * @param folder of the files
 * @param files how many, at least 1
 * @param blocksPerFile of each, at least 1, without the holes
 * @param pieceBlocks of each piece, at least 1; the last one of a file may be shorter
 */
record PieceFiles(Path folder, int files, int blocksPerFile, int pieceBlocks) {
  private static final long SEED = 42;

  /** The number, from 0 on, of the file that a block of the data set is in. */
  int fileOf(int block) {
    return block / blocksPerFile;
  }

  /** The place of a block of the data set in its file, in bytes. */
  long offsetOf(int block) {
    int own = block % blocksPerFile;
    return ((long) own + own / pieceBlocks) * Workload.BLOCK_BYTES;
  }

  /** A file by its number. */
  Path path(int file) {
    return folder.resolve("data-" + file);
  }

  /** Makes the folder and all files, of random bytes; they are on the disk when this returns. */
  void write() throws IOException {
    Files.createDirectory(folder);
    SplittableRandom random = new SplittableRandom(SEED);
    for (int file = 0; file < files; file++) {
      write(file, random);
    }
    Shell.run("sync", "-f", folder.toString());
  }

  private void write(int file, SplittableRandom random) throws IOException {
    byte[] piece = new byte[Math.min(pieceBlocks, blocksPerFile) * Workload.BLOCK_BYTES];
    try (RandomAccessFile whole = new RandomAccessFile(path(file).toFile(), "rw")) {
      whole.setLength(offsetOf(blocksPerFile - 1) + Workload.BLOCK_BYTES);
      FileChannel channel = whole.getChannel();
      for (int first = 0; first < blocksPerFile; first += pieceBlocks) {
        random.nextBytes(piece);
        int blocks = Math.min(pieceBlocks, blocksPerFile - first);
        ByteBuffer left = ByteBuffer.wrap(piece, 0, blocks * Workload.BLOCK_BYTES);
        for (long at = offsetOf(first); left.hasRemaining(); ) {
          at += channel.write(left, at);
        }
      }
    }
  }
}
