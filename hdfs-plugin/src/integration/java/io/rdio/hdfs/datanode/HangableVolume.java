// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.datanode;

import io.rdio.core.testing.Command;
import io.rdio.core.testing.HangingFile;
import io.rdio.core.testing.LoopDevice;
import io.rdio.core.testing.LoopFileSystem;
import io.rdio.core.testing.Requirements;
import io.rdio.core.testing.Resources;
import java.io.Closeable;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * A file system of ext4 that hangs and answers again, as a test likes. {@link #close} has it answer
 * before it is unmounted, in any case.
 */
final class HangableVolume implements AutoCloseable {
  private static final long BYTES = 200L << 20;

  private final LoopFileSystem files;
  private final Switch hang;
  private final Switch answer;
  private final Deque<Closeable> closing;
  private boolean hangs;

  /** The ways in which a volume hangs. */
  enum Kind {
    /** All that would change the file system waits before it begins. */
    FROZEN,
    /**
     * A loop device whose backing file's server answers no reads, writes and flushes. Files may be
     * made and linked as long as the journal's part in memory has room; what waits for the device
     * waits in the kernel and cannot be killed.
     */
    SERVER_STOPPED
  }

  @FunctionalInterface
  private interface Switch {
    void turn() throws IOException;
  }

  private HangableVolume(
      LoopFileSystem files, Switch hang, Switch answer, Deque<Closeable> closing) {
    this.files = files;
    this.hang = hang;
    this.answer = answer;
    this.closing = closing;
  }

  /** Skips the test where it cannot be. */
  static HangableVolume create(Kind kind) throws IOException {
    return kind == Kind.FROZEN ? frozen() : serverStopped();
  }

  private static HangableVolume frozen() throws IOException {
    Requirements.requireTool("fsfreeze");
    LoopFileSystem files = LoopFileSystem.create("ext4", BYTES, List.of(), "defaults");
    String mountPoint = files.mountPoint().toString();
    return new HangableVolume(
        files,
        () -> Command.run("fsfreeze", "-f", mountPoint),
        () -> Command.run("fsfreeze", "-u", mountPoint),
        new ArrayDeque<>(List.of(files::close)));
  }

  private static HangableVolume serverStopped() throws IOException {
    Requirements.requireLoop("ext4");
    Deque<Closeable> closing = new ArrayDeque<>();
    boolean made = false;
    try {
      Path image = Files.createTempFile(Path.of("/dev/shm"), "rdio-", ".img");
      closing.push(() -> Files.delete(image));
      try (RandomAccessFile sparse = new RandomAccessFile(image.toFile(), "rw")) {
        sparse.setLength(BYTES);
      }
      HangingFile served = HangingFile.over(image);
      closing.push(served::close);
      LoopDevice loop = LoopDevice.attach(served.file());
      closing.push(loop::close);
      LoopFileSystem files = LoopFileSystem.on(loop.node(), "ext4");
      closing.push(files::close);
      // Else a mere look into a folder would have to be written down, and wait.
      files.unmount();
      files.mount("noatime");
      made = true;
      return new HangableVolume(files, served::hang, served::answer, closing);
    } finally {
      if (!made) {
        Resources.closeAll(closing);
      }
    }
  }

  LoopFileSystem files() {
    return files;
  }

  void hang() throws IOException {
    hang.turn();
    hangs = true;
  }

  void answer() throws IOException {
    if (hangs) {
      answer.turn();
      hangs = false;
    }
  }

  @Override
  public void close() throws IOException {
    closing.push(this::answer);
    Resources.closeAll(closing);
  }
}
