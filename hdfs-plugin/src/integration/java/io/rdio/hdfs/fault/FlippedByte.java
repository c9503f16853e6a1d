// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.fault;

import io.rdio.core.FallbackException;
import io.rdio.core.linux.Fiemap;
import io.rdio.hdfs.cluster.LoopVolume;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** One byte of a block on the device of a volume that is not what it was. */
final class FlippedByte {
  private final LoopVolume volume;
  private final long position;

  private FlippedByte(LoopVolume volume, long position) {
    this.volume = volume;
    this.position = position;
  }

  /**
   * Flips one.
   *
   * @param file on that volume
   * @param at where in the file, in its first extent
   */
  static FlippedByte of(LoopVolume volume, Path file, int at)
      throws IOException, FallbackException {
    volume.dropPageCache();
    long position = Fiemap.extents(file, Files.size(file)).physical(0) + at;
    FlippedByte flipped = new FlippedByte(volume, position);
    flipped.flip();
    return flipped;
  }

  /** The file of a volume's finalized replica of a block; null if it has none. */
  static @Nullable Path blockFile(LoopVolume volume, long blockId) throws IOException {
    try (Stream<Path> files = Files.walk(volume.mountPoint().resolve("data/current"))) {
      return files
          .filter(path -> path.getFileName().toString().equals("blk_" + blockId))
          .findAny()
          .orElse(null);
    }
  }

  private void flip() throws IOException {
    try (RandomAccessFile device = new RandomAccessFile(volume.image().toFile(), "rw")) {
      device.seek(position);
      int was = device.read();
      device.seek(position);
      device.write(was ^ 1);
    }
    volume.dropPageCache();
  }

  /** Flips it back. */
  void undo() throws IOException {
    flip();
  }
}
