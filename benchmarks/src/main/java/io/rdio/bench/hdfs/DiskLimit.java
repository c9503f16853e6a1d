// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.hdfs;

import io.rdio.hdfs.cluster.Teardown;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Makes a block device as slow as a disk for some processes, together: what they have it read, also
 * by way of loop devices above it, is held up by the kernel's blkio controller, version 1. For one
 * thread.
 */
public final class DiskLimit implements AutoCloseable {
  private static final Path BLKIO = Path.of("/sys/fs/cgroup/blkio");

  private final Path group;
  private final Map<Long, Path> homes = new LinkedHashMap<>();

  private DiskLimit(Path group) {
    this.group = group;
  }

  /**
   * Makes one, of nobody yet.
   *
   * @param name that no other group has
   * @param device as "major:minor"
   * @param teardown removes it if this process ends before it is closed
   */
  public static DiskLimit create(String name, String device, long bytesPerSecond, Teardown teardown)
      throws IOException {
    Path group = BLKIO.resolve(name);
    teardown.removeGroupLater(group);
    DiskLimit limit = new DiskLimit(Files.createDirectory(group));
    try {
      limit.also(device, bytesPerSecond);
      return limit;
    } catch (IOException e) {
      limit.close();
      throw e;
    }
  }

  /** Limits another device, too. */
  public void also(String device, long bytesPerSecond) throws IOException {
    Files.writeString(
        group.resolve("blkio.throttle.read_bps_device"), device + " " + bytesPerSecond);
  }

  /** Slows a process down until this is closed. */
  public void add(long pid) throws IOException {
    homes.put(pid, BLKIO.resolve("." + path(pid)));
    Files.writeString(group.resolve("cgroup.procs"), Long.toString(pid));
  }

  /** Where a process is now, from the hierarchy's root on. */
  private static String path(long pid) throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc", Long.toString(pid), "cgroup"))) {
      int at = line.indexOf(":blkio:/");
      if (at >= 0) {
        return line.substring(at + ":blkio:".length());
      }
    }
    throw new IOException("process " + pid + " is in no blkio control group of version 1");
  }

  /** Lets them go back to where they were; without effect when it went with its teardown. */
  @Override
  public void close() throws IOException {
    if (!Files.exists(group)) {
      return;
    }
    ControlGroups.remove(group, pid -> homes.getOrDefault(Long.valueOf(pid), BLKIO));
  }
}
