// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.datanode;

import io.rdio.core.testing.Command;
import io.rdio.core.testing.DeviceLog;
import io.rdio.core.testing.HangingFile;
import io.rdio.core.testing.LoopDevice;
import io.rdio.core.testing.LoopFileSystem;
import io.rdio.core.testing.ReplayedCache;
import io.rdio.core.testing.Requirements;
import io.rdio.core.testing.Resources;
import io.rdio.core.testing.ScratchFolder;
import java.io.Closeable;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.random.RandomGenerator;

/**
 * A file system of ext4 for a DataNode, and an agent's own way to its device: two block devices
 * over the same bytes, and what comes by either of them is noted. So a loss of power can be played
 * at any moment: of what was not flushed by its own way any sectors are lost.
 */
final class LoggedVolume implements AutoCloseable {
  /** The ways to the device, as the log has them. */
  static final String DATA_NODE = "DataNode";

  static final String AGENT = "agent";

  private static final long BYTES = 200L << 20;

  private final Path folder;
  private final LoopFileSystem files;
  private final LoopDevice agentsLoop;
  private final DeviceLog log;
  private final Deque<Closeable> closing;

  /** Looks at what a loss of power leaves. */
  @FunctionalInterface
  interface Cut {
    /**
     * Has its look.
     *
     * @param image of the device; whoever looks may change it
     * @param position how many of the log's entries the device was told
     * @return whether it wants to see more
     */
    boolean at(Path image, int position) throws IOException;
  }

  private LoggedVolume(
      Path folder,
      LoopFileSystem files,
      LoopDevice agentsLoop,
      DeviceLog log,
      Deque<Closeable> closing) {
    this.folder = folder;
    this.files = files;
    this.agentsLoop = agentsLoop;
    this.log = log;
    this.closing = closing;
  }

  /** Skips the test where it cannot be. Nothing is noted yet. */
  static LoggedVolume create() throws IOException {
    Requirements.requireLoop("ext4");
    Requirements.requireTool("fsfreeze");
    Deque<Closeable> closing = new ArrayDeque<>();
    boolean made = false;
    try {
      ScratchFolder scratch = ScratchFolder.make("rdio-logged-");
      closing.push(scratch::close);
      Path image = image(scratch.path());
      try (RandomAccessFile sparse = new RandomAccessFile(image.toFile(), "rw")) {
        sparse.setLength(BYTES);
      }
      DeviceLog log = new DeviceLog();
      LoopDevice own = way(image, log.by(DATA_NODE), closing);
      LoopDevice agents = way(image, log.by(AGENT), closing);
      // Of blocks of 4 KiB, below which Java does not write past the page cache.
      LoopFileSystem files =
          LoopFileSystem.on(
              own.node(), "ext4", "-b", "4096", "-E", "lazy_itable_init=0,lazy_journal_init=0");
      closing.push(files::close);
      made = true;
      return new LoggedVolume(scratch.path(), files, agents, log, closing);
    } finally {
      if (!made) {
        Resources.closeAll(closing);
      }
    }
  }

  private static LoopDevice way(Path image, HangingFile.WriteQueue queue, Deque<Closeable> closing)
      throws IOException {
    HangingFile served = HangingFile.over(image, queue);
    closing.push(served::close);
    LoopDevice loop = LoopDevice.attach(served.file());
    closing.push(loop::close);
    return loop;
  }

  private static Path image(Path folder) {
    return folder.resolve("image");
  }

  Path mountPoint() {
    return files.mountPoint();
  }

  DeviceLog log() {
    return log;
  }

  /** The agent's own way to it: a device node. */
  Path agentsNode() {
    return agentsLoop.node();
  }

  /** What {@code dfs.client.rdio.devices} says of it, so that an agent goes its own way. */
  String asKey() throws IOException {
    return files.uuid() + "=" + agentsNode();
  }

  private Path base() {
    return folder.resolve("base");
  }

  /** Begins to note what comes; what was written by now is durable. */
  void beginLog() throws IOException {
    String mountPoint = mountPoint().toString();
    Command.run("fsfreeze", "-f", mountPoint);
    try {
      copy(image(folder), base());
      log.begin();
    } finally {
      Command.run("fsfreeze", "-u", mountPoint);
    }
  }

  private static void copy(Path from, Path to) throws IOException {
    Command.run("cp", "--sparse=always", from.toString(), to.toString());
  }

  /**
   * Plays losses of power.
   *
   * @param positions when, by how many of the log's entries the device was told then
   * @param deaf ways by which it ignores flushes
   * @param random as in {@link ReplayedCache#losePower}
   */
  void cutAt(NavigableSet<Integer> positions, Set<String> deaf, RandomGenerator random, Cut cut)
      throws IOException {
    Path medium = folder.resolve("medium");
    Path left = folder.resolve("left");
    copy(base(), medium);
    List<DeviceLog.Entry> entries = log.entries();
    try (FileChannel durable =
        FileChannel.open(medium, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      ReplayedCache cache = new ReplayedCache(durable, deaf);
      int told = 0;
      for (int position : positions) {
        for (; told < position; told++) {
          cache.tell(entries.get(told));
        }
        copy(medium, left);
        try (FileChannel to = FileChannel.open(left, StandardOpenOption.WRITE)) {
          cache.losePower(to, random);
        }
        if (!cut.at(left, position)) {
          return;
        }
      }
    }
  }

  /** Has it be what a loss of power at the log's end leaves. Nobody uses it meanwhile. */
  void losePower(RandomGenerator random) throws IOException {
    files.unmount();
    LoopFileSystem.awaitGone("ext4", files.device());
    NavigableSet<Integer> end = new TreeSet<>(Set.of(log.entries().size()));
    cutAt(end, Set.of(), random, (left, position) -> putInPlace(left));
    Command.run("blockdev", "--flushbufs", files.device().toString());
    files.mount("defaults");
  }

  private boolean putInPlace(Path left) throws IOException {
    Command.run("dd", "if=" + left, "of=" + image(folder), "bs=1M", "conv=notrunc", "status=none");
    return true;
  }

  @Override
  public void close() throws IOException {
    Resources.closeAll(closing);
  }
}
