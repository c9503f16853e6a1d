// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cluster;

import io.rdio.core.testing.Command;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What a file system keeps of its volume for its own needs. Tests that fill a volume to the last
 * byte take it away; for those behind them it is put back.
 */
public final class Reserve {
  private final LoopVolume volume;
  private final String size;

  private Reserve(LoopVolume volume, String size) {
    this.volume = volume;
    this.size = size;
  }

  /** As it is now. */
  public static Reserve of(LoopVolume volume) throws IOException {
    return new Reserve(
        volume,
        volume.fileSystem().equals("xfs")
            // "reserved blocks = 8192", then how many of them are left.
            ? xfsReserve(volume, "resblks").lines().findFirst().orElseThrow().replaceAll("\\D", "")
            : Files.readString(ext4Reserve(volume)).strip());
  }

  /** Makes it what it was. */
  public void restore() throws IOException {
    if (volume.fileSystem().equals("xfs")) {
      xfsReserve(volume, "resblks " + size);
    } else {
      Files.writeString(ext4Reserve(volume), size);
    }
  }

  private static String xfsReserve(LoopVolume volume, String command) throws IOException {
    return Command.run("xfs_io", "-x", "-c", command, volume.mountPoint().toString());
  }

  private static Path ext4Reserve(LoopVolume volume) {
    return Path.of("/sys/fs/ext4")
        .resolve(Path.of("/dev").relativize(Path.of(volume.device())))
        .resolve("reserved_clusters");
  }
}
