// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.it;

import static org.awaitility.Awaitility.await;

import com.sun.nio.file.ExtendedOpenOption;
import io.rdio.core.testing.Command;
import io.rdio.hdfs.cluster.Cluster;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;

/** The free space of the first DataNode's volume, which a test gives to other files. */
public final class FreeSpace {
  /** What those other files consist of; no seeded file has a run of it. */
  public static final byte FILLER = (byte) 0xF1;

  private static final int SMALLEST = 512;
  private static final int READ = 1 << 20;
  private static final int ALIGNMENT = 4096;
  private static final Duration SETTLED_MAX = Duration.ofSeconds(30);

  private final Path mount;

  public FreeSpace(Cluster cluster) {
    this(cluster.volume(0).mountPoint());
  }

  public FreeSpace(Path mount) {
    this.mount = mount;
  }

  public long bytes() throws IOException {
    return Files.getFileStore(mount).getUsableSpace();
  }

  /**
   * As {@link #bytes}, when what was freed is free and what was written has its place. Both file
   * systems free space behind the call that deletes a file, ext4 with the next commit, xfs in a
   * thread of its own; and xfs holds several blocks more than needed for each file that is not
   * written back yet.
   */
  public long settledBytes() throws IOException {
    AtomicLong last = new AtomicLong(-1);
    await("two equal readings of the free space of " + mount)
        .atMost(SETTLED_MAX)
        .until(
            () -> {
              Command.run("sync", "-f", mount.toString());
              long now = bytes();
              return last.getAndSet(now) == now;
            });
    return last.get();
  }

  /**
   * Gives all of it away, to the last byte, and has that written to the device. In two passes, for
   * space that was freed a moment ago is given out only once its transaction is committed.
   */
  public void fill() throws IOException {
    giveUpReserve();
    for (int pass = 0; pass < 2; pass++) {
      Command.run("sync", "-f", mount.toString());
      fill(mount.resolve("filler-" + System.nanoTime()));
    }
    Command.run("sync", "-f", mount.toString());
  }

  private static void fill(Path file) {
    byte[] bytes = new byte[1 << 20];
    Arrays.fill(bytes, FILLER);
    try (OutputStream out = Files.newOutputStream(file)) {
      for (int length = bytes.length; length >= SMALLEST; length /= 2) {
        writeUntilFull(out, bytes, length);
      }
    } catch (IOException full) {
      // xfs may have no room even for the file's name.
    }
  }

  private static void writeUntilFull(OutputStream out, byte[] bytes, int length) {
    try {
      while (true) {
        out.write(bytes, 0, length);
      }
    } catch (IOException full) {
      // That is what is wanted.
    }
  }

  /** ext4 keeps two percent for its own needs. */
  private void giveUpReserve() throws IOException {
    String device = Command.run("findmnt", "-no", "SOURCE", mount.toString());
    Path reserve =
        Path.of("/sys/fs/ext4")
            .resolve(Path.of("/dev").relativize(Path.of(device)))
            .resolve("reserved_clusters");
    if (Files.exists(reserve)) {
      Files.writeString(reserve, "0");
    }
  }

  /** Whether those other files have on the device what they were given, byte for byte. */
  public boolean isIntact() throws IOException {
    try (DirectoryStream<Path> fillers = Files.newDirectoryStream(mount, "filler-*")) {
      for (Path filler : fillers) {
        if (!isIntact(filler)) {
          return false;
        }
      }
      return true;
    }
  }

  private static boolean isIntact(Path filler) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocateDirect(READ + ALIGNMENT).alignedSlice(ALIGNMENT);
    try (FileChannel channel =
        FileChannel.open(filler, StandardOpenOption.READ, ExtendedOpenOption.DIRECT)) {
      long at = 0;
      for (int count = channel.read(bytes.clear().limit(READ), at); count > 0; ) {
        for (int i = 0; i < count; i++) {
          if (bytes.get(i) != FILLER) {
            return false;
          }
        }
        at += count;
        count = at < channel.size() ? channel.read(bytes.clear().limit(READ), at) : 0;
      }
      return true;
    }
  }

  /** Takes all of it back. */
  public void empty() throws IOException {
    try (DirectoryStream<Path> fillers = Files.newDirectoryStream(mount, "filler-*")) {
      for (Path filler : fillers) {
        Files.delete(filler);
      }
    }
  }
}
