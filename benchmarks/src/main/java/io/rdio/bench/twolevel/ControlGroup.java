// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.twolevel;

import io.rdio.bench.hdfs.ControlGroups;
import io.rdio.hdfs.cluster.Teardown;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A control group, version 1, of the controllers memory and blkio: bounds the page cache of its
 * processes and counts what they read of block devices, also by way of a loop device's thread.
 *
 * <p>Version 1 on purpose. There the kernel charges the page cache of a loop device's backing file
 * to nobody, whereas by version 2 it belongs to who reads the loop device, so that both levels
 * would share one bound.
 */
public final class ControlGroup implements AutoCloseable {
  private static final Path MEMORY = Path.of("/sys/fs/cgroup/memory");
  private static final Path BLKIO = Path.of("/sys/fs/cgroup/blkio");

  /** A bound that nobody reaches; the kernel counts only where there is one. */
  private static final String BYTES_PER_SECOND = "1000000000000000";

  private final Path memory;
  private final Path blkio;
  // Where those that were taken in came from.
  private Path homeMemory = MEMORY;
  private Path homeBlkio = BLKIO;

  private ControlGroup(Path memory, Path blkio) {
    this.memory = memory;
    this.blkio = blkio;
  }

  /** Why there can be none here; "" if there can. */
  public static String whyNot() {
    for (Path controller : List.of(MEMORY, BLKIO)) {
      if (!Files.isWritable(controller.resolve("cgroup.procs"))) {
        return controller
            + " is not a writable control group of version 1; fix: boot with"
            + " systemd.unified_cgroup_hierarchy=0, or mount the controller there, and be root";
      }
    }
    return "";
  }

  /**
   * Makes a group.
   *
   * @param name that no other group has
   * @param teardown removes it if this process ends before it is closed
   * @throws IOException if the kernel does not let us
   */
  static ControlGroup create(String name, Teardown teardown) throws IOException {
    String obstacle = whyNot();
    if (!obstacle.isEmpty()) {
      throw new IOException(obstacle);
    }
    ControlGroup group = new ControlGroup(MEMORY.resolve(name), BLKIO.resolve(name));
    for (Path folder : List.of(group.memory, group.blkio)) {
      teardown.removeGroupLater(folder);
      Files.createDirectory(folder);
    }
    return group;
  }

  /** Bounds what its processes have in memory, page cache included, and what they take from now. */
  void limitMemory(long bytes) throws IOException {
    write(memory.resolve("memory.limit_in_bytes"), Long.toString(bytes));
  }

  /**
   * Counts reads of a block device from now on.
   *
   * @param device as "major:minor"
   */
  void countReads(String device) throws IOException {
    write(blkio.resolve("blkio.throttle.read_bps_device"), device + " " + BYTES_PER_SECOND);
  }

  /** Takes a process in; what it has in memory already stays where it is charged. */
  void add(long pid) throws IOException {
    homeMemory = groupOf(pid, "memory", MEMORY);
    homeBlkio = groupOf(pid, "blkio", BLKIO);
    write(memory.resolve("cgroup.procs"), Long.toString(pid));
    write(blkio.resolve("cgroup.procs"), Long.toString(pid));
  }

  /** Bytes that its processes have read of a block device since it is counted. */
  long bytesRead(String device) throws IOException {
    String row = device + " Read ";
    for (String line : Files.readAllLines(blkio.resolve("blkio.throttle.io_service_bytes"))) {
      if (line.startsWith(row)) {
        return Long.parseLong(line.substring(row.length()));
      }
    }
    return 0;
  }

  /** Page cache that its processes brought in and that is still there. */
  long pageCacheBytes() throws IOException {
    for (String line : Files.readAllLines(memory.resolve("memory.stat"))) {
      if (line.startsWith("cache ")) {
        return Long.parseLong(line.substring("cache ".length()));
      }
    }
    throw new IOException(memory + "/memory.stat does not tell the cache");
  }

  private static Path groupOf(long pid, String controller, Path root) throws IOException {
    String mark = ":" + controller + ":/";
    for (String line : Files.readAllLines(Path.of("/proc", Long.toString(pid), "cgroup"))) {
      int at = line.indexOf(mark);
      if (at >= 0) {
        return root.resolve(line.substring(at + mark.length()));
      }
    }
    return root;
  }

  private static void write(Path file, String value) throws IOException {
    try {
      Files.writeString(file, value);
    } catch (IOException e) {
      throw new IOException("cannot write " + value + " to " + file + ": " + e.getMessage(), e);
    }
  }

  /** Removes it; those of its processes that still run go back to where the last one came from. */
  @Override
  public void close() throws IOException {
    ControlGroups.remove(memory, pid -> homeMemory);
    ControlGroups.remove(blkio, pid -> homeBlkio);
  }
}
