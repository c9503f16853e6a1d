// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.testing;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;

/** A file attached as a block device. Detached by {@link #close}, and its own file deleted. */
public final class LoopDevice implements AutoCloseable {
  private final Path backingFile;
  private final Path node;
  private final boolean ownsFile;

  private LoopDevice(Path backingFile, Path node, boolean ownsFile) {
    this.backingFile = backingFile;
    this.node = node;
    this.ownsFile = ownsFile;
  }

  /** Over a new sparse file, in memory if there is room for files in memory. */
  public static LoopDevice create(long bytes, String... losetupOptions) throws IOException {
    Path memory = Path.of("/dev/shm");
    Path file =
        Files.isWritable(memory)
            ? Files.createTempFile(memory, "rdio-", ".img")
            : Files.createTempFile("rdio-", ".img");
    try (RandomAccessFile sparse = new RandomAccessFile(file.toFile(), "rw")) {
      sparse.setLength(bytes);
    }
    return attach(file, true, losetupOptions);
  }

  /** Over a file that stays when this is closed. */
  public static LoopDevice attach(Path file, String... losetupOptions) throws IOException {
    return attach(file, false, losetupOptions);
  }

  private static LoopDevice attach(Path file, boolean ownsFile, String... losetupOptions)
      throws IOException {
    String[] command = new String[losetupOptions.length + 4];
    command[0] = "losetup";
    command[1] = "--find";
    command[2] = "--show";
    System.arraycopy(losetupOptions, 0, command, 3, losetupOptions.length);
    command[command.length - 1] = file.toString();
    try {
      return new LoopDevice(file, Path.of(Command.run(command)), ownsFile);
    } catch (IOException e) {
      if (ownsFile) {
        Files.delete(file);
      }
      throw e;
    }
  }

  /** For example {@code /dev/loop3}. */
  public Path node() {
    return node;
  }

  public Path backingFile() {
    return backingFile;
  }

  /** Makes partition 1 of a device that was attached with {@code --partscan}; its node. */
  public Path addPartition(long startBytes, long bytes) throws IOException {
    Command.run(
        "addpart",
        node.toString(),
        "1",
        Long.toString(startBytes / 512),
        Long.toString(bytes / 512));
    return Path.of(node + "p1");
  }

  /** Detaches it; where somebody has it open, the kernel does so when the last one closes it. */
  @Override
  public void close() throws IOException {
    try {
      Command.run("losetup", "--detach", node.toString());
    } finally {
      if (ownsFile) {
        Files.deleteIfExists(backingFile);
      }
    }
  }
}
