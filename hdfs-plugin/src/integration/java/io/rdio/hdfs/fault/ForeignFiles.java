// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.fault;

import io.rdio.hdfs.it.SeededFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;

/** Files of known bytes that stock HDFS wrote, all over a volume: nobody else may change one. */
final class ForeignFiles {
  private static final int LENGTH = 8 << 20;
  private static final int NEWER = 4;

  private final FileSystem stock;
  private final List<Long> files = new ArrayList<>();
  private final Deque<Long> newer = new ArrayDeque<>();
  private long lastSeed;

  /** Writes them until so much of a volume is left. */
  ForeignFiles(FileSystem stock, Path mount, long left) throws IOException {
    this.stock = stock;
    while (Files.getFileStore(mount).getUsableSpace() > left + LENGTH) {
      files.add(write());
    }
  }

  private static String path(long seed) {
    return "/foreign/" + seed;
  }

  private long write() throws IOException {
    long seed = ++lastSeed;
    SeededFile.write(stock, path(seed), LENGTH, seed);
    return seed;
  }

  /** Puts a new one into the place of the oldest of a few, so that space goes from hand to hand. */
  void rewriteOne() throws IOException {
    if (newer.size() == NEWER) {
      stock.delete(new org.apache.hadoop.fs.Path(path(newer.remove())), false);
    }
    newer.add(write());
  }

  /** Looks at all of them; what the DataNodes have in memory should have been dropped. */
  void check() throws IOException {
    files.addAll(newer);
    newer.clear();
    for (long seed : files) {
      SeededFile file =
          new SeededFile(
              new org.apache.hadoop.fs.Path(path(seed)), SeededFile.random(LENGTH, seed));
      try (FSDataInputStream in = stock.open(file.path())) {
        file.check(0, in.readNBytes(LENGTH));
      }
    }
  }
}
