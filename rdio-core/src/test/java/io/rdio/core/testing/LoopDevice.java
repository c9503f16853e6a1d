// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.testing;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import jnr.ffi.LibraryLoader;
import jnr.ffi.annotations.Variadic;

/** A file attached as a block device. Detached by {@link #close}, and its own file deleted. */
public final class LoopDevice implements AutoCloseable {
  private static final long LOOP_CHANGE_FD = 0x4C06;

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

  /** Puts another file of the same size behind a device that was attached read-only. */
  public void changeMedium(Path file) throws IOException {
    LoopCalls calls = LibraryLoader.create(LoopCalls.class).load("c");
    int device = calls.open(node.toString(), 0);
    int medium = calls.open(file.toString(), 0);
    try {
      if (calls.ioctl(device, LOOP_CHANGE_FD, medium) < 0) {
        throw new IOException("LOOP_CHANGE_FD of " + node + " to " + file + " failed");
      }
    } finally {
      calls.close(medium);
      calls.close(device);
    }
  }

  /** Of the C library. */
  public interface LoopCalls {
    @Variadic(fixedCount = 2)
    int open(String path, int flags);

    int close(int fd);

    @Variadic(fixedCount = 2)
    int ioctl(int fd, long request, int argument);
  }

  /** Detaches it; where somebody has it open, the kernel does so when the last one closes it. */
  @Override
  public void close() throws IOException {
    try {
      Command.run("losetup", "--detach", node.toString());
      if (Files.exists(Path.of("/sys/class/block/" + node.getFileName() + "/loop"))) {
        // RDIO's own descriptors are closed when their devices are garbage.
        System.gc();
      }
    } finally {
      if (ownsFile) {
        Files.deleteIfExists(backingFile);
      }
    }
  }
}
