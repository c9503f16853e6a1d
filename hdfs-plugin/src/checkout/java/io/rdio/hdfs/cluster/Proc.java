// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cluster;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** What Linux counts, from /proc. */
public final class Proc {
  /** The unit of CPU times there: USER_HZ, 100 a second on every architecture we run on. */
  private static final double TICKS_PER_SECOND = 100;

  /** The unit of /proc/diskstats, whatever the device's own sector is. */
  private static final int SECTOR_BYTES = 512;

  private Proc() {}

  /**
   * What a thread has used so far.
   *
   * @param name as the kernel has it, which is 15 bytes: of a JVM's thread a part of Java's name
   * @param cpuSeconds user and system time, in ticks of 10 ms each
   */
  public record ThreadCpu(String name, double cpuSeconds) {}

  /** User and system time that a running process has used so far, in seconds. */
  public static double cpuSeconds(long pid) throws IOException {
    return seconds(pid, 14, 15);
  }

  /**
   * The same of its children, and theirs, that have ended, and whose ends their parents have
   * noticed.
   */
  public static double endedChildrensCpuSeconds(long pid) throws IOException {
    return seconds(pid, 16, 17);
  }

  /**
   * User and system time of what a process has started, and that in turn, ended or not, in seconds.
   * What ends right now may be counted twice or not at all.
   */
  public static double descendantsCpuSeconds(long pid) throws IOException {
    double sum = endedChildrensCpuSeconds(pid);
    Stream<ProcessHandle> all =
        ProcessHandle.of(pid).map(ProcessHandle::descendants).orElse(Stream.empty());
    for (ProcessHandle each : all.toList()) {
      try {
        sum += cpuSeconds(each.pid()) + endedChildrensCpuSeconds(each.pid());
      } catch (IOException e) {
        if (each.isAlive()) {
          throw e;
        }
      }
    }
    return sum;
  }

  /** The sum of two fields of /proc/pid/stat, by their numbers in proc(5). */
  private static double seconds(long pid, int user, int system) throws IOException {
    return secondsIn(stat(Path.of("/proc", Long.toString(pid))), user, system);
  }

  /** Its name may be cut within a character, which only an encoding of single bytes can be. */
  private static String stat(Path folder) throws IOException {
    return Files.readString(folder.resolve("stat"), ISO_8859_1);
  }

  private static double secondsIn(String stat, int user, int system) {
    // The command's name in parentheses may hold anything; field 3 follows it.
    List<String> fields = List.of(stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1));
    return (Long.parseLong(fields.get(user - 3)) + Long.parseLong(fields.get(system - 3)))
        / TICKS_PER_SECOND;
  }

  /**
   * The threads that a running process has, by their ids. One that begins or ends meanwhile may be
   * missing; what threads used that have ended is nowhere but in {@link #cpuSeconds}.
   */
  public static Map<Long, ThreadCpu> threads(long pid) throws IOException {
    List<Path> tasks;
    try (Stream<Path> entries = Files.list(Path.of("/proc", Long.toString(pid), "task"))) {
      tasks = entries.toList();
    }
    Map<Long, ThreadCpu> threads = new HashMap<>();
    for (Path task : tasks) {
      try {
        threads.put(Long.valueOf(String.valueOf(task.getFileName())), threadOf(stat(task)));
      } catch (IOException e) {
        if (Files.exists(task)) { // else it has ended
          throw e;
        }
      }
    }
    return threads;
  }

  /** By /proc/pid/task/tid/stat. */
  static ThreadCpu threadOf(String stat) {
    String name = stat.substring(stat.indexOf('(') + 1, stat.lastIndexOf(')'));
    return new ThreadCpu(name, secondsIn(stat, 14, 15));
  }

  /**
   * Bytes read from a block device so far, by whomever.
   *
   * @param device its node, such as /dev/loop0
   */
  public static long bytesRead(String device) throws IOException {
    return sectors(device, 6) * SECTOR_BYTES;
  }

  /**
   * Bytes written to a block device so far, by whomever; what the device was told to fill with
   * zeros by itself is counted, too.
   *
   * @param device its node, such as /dev/loop0
   */
  public static long bytesWritten(String device) throws IOException {
    return sectors(device, 10) * SECTOR_BYTES;
  }

  /** A field of /proc/diskstats, by its number in the kernel's iostats.rst. */
  private static long sectors(String device, int field) throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc/diskstats"))) {
      List<String> fields = List.of(line.strip().split("\\s+", -1));
      if (device.equals("/dev/" + fields.get(2))) {
        return Long.parseLong(fields.get(field - 1));
      }
    }
    throw new IOException("/proc/diskstats has no " + device);
  }

  /**
   * Bytes sent over the loopback interface so far, each counted once. All processes of this network
   * namespace count, so that the difference over a measurement is an upper bound of its own bytes.
   */
  public static long loopbackBytes() throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc/net/dev"))) {
      String text = line.strip();
      if (text.startsWith("lo:")) {
        return Long.parseLong(text.substring(3).strip().split("\\s+", -1)[8]);
      }
    }
    throw new IOException("/proc/net/dev has no interface lo");
  }
}
