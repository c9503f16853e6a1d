// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;

/** A memory cgroup, of either version, whose programs find little memory for the page cache. */
public final class MemoryCgroup implements AutoCloseable {
  private static final Path V1 = Path.of("/sys/fs/cgroup/memory");
  private static final Path V2 = Path.of("/sys/fs/cgroup");
  private static final AtomicInteger NUMBER = new AtomicInteger();

  private final Path directory;

  private MemoryCgroup(Path directory) {
    this.directory = directory;
  }

  /** Skips the test where there can be none. */
  public static MemoryCgroup create(long bytes) throws IOException {
    boolean v1 = Files.isDirectory(V1);
    Path parent = v1 ? V1 : V2;
    Requirements.require(
        Files.isWritable(parent) && (v1 || hasMemoryController()),
        "no memory cgroup can be made in " + parent);
    Path directory =
        parent.resolve("rdio-" + ProcessHandle.current().pid() + "-" + NUMBER.incrementAndGet());
    Files.createDirectory(directory);
    Files.writeString(
        directory.resolve(v1 ? "memory.limit_in_bytes" : "memory.max"), Long.toString(bytes));
    return new MemoryCgroup(directory);
  }

  private static boolean hasMemoryController() throws IOException {
    Path control = V2.resolve("cgroup.subtree_control");
    return Files.exists(control) && Files.readString(control).contains("memory");
  }

  /** Runs a line of shell in it and waits for it. */
  public void run(String line) throws IOException {
    Command.run(command(line));
  }

  /** A line of shell in it, to be started. */
  public String[] command(String line) {
    return new String[] {"sh", "-c", "echo $$ > " + directory + "/cgroup.procs && " + line};
  }

  /** Its programs have ended. */
  @Override
  public void close() throws IOException {
    Files.delete(directory);
  }
}
