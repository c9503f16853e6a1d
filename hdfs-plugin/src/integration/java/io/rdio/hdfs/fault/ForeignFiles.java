// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.fault;

import io.rdio.hdfs.it.SeededFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;

/** Files of known bytes that stock HDFS wrote, all over a volume: nobody else may change one. */
public final class ForeignFiles {
  private static final int LENGTH = 8 << 20;
  private static final int NEWER = 4;

  private final FileSystem stock;
  private final List<Long> files = new ArrayList<>();
  private final List<Long> newer = new ArrayList<>();
  private long lastSeed;

  /** Writes them until so much of a volume is left. */
  public ForeignFiles(FileSystem stock, Path mount, long left) throws IOException {
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

  /** Puts new ones into the place of a few, so that space goes from hand to hand. */
  void rewriteSome() throws IOException {
    for (long old : newer) {
      stock.delete(new org.apache.hadoop.fs.Path(path(old)), false);
    }
    newer.clear();
    while (newer.size() < NEWER) {
      newer.add(write());
    }
  }

  /** Looks at all of them; what the DataNodes have in memory should have been dropped. */
  public void check() throws IOException {
    List<Long> all = new ArrayList<>(files);
    all.addAll(newer);
    for (long seed : all) {
      SeededFile file =
          new SeededFile(
              new org.apache.hadoop.fs.Path(path(seed)), SeededFile.random(LENGTH, seed));
      try (FSDataInputStream in = stock.open(file.path())) {
        file.check(0, in.readNBytes(LENGTH));
      }
    }
  }
}
