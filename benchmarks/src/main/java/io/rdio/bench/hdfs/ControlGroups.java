// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.hdfs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;

/** What all control groups of version 1 have in common. */
public final class ControlGroups {
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  /** Ten seconds' worth. */
  private static final int TRIES_MAX = 500;

  private ControlGroups() {}

  /** Removes the folder of a group without processes, or throws. */
  @FunctionalInterface
  interface Removal {
    void remove(Path group) throws IOException;
  }

  /**
   * Sends a group's processes away and removes it. The kernel refuses as long as there is one, and
   * one that just ends, or was just begun by another, may not have been among those that went; nor
   * can one be sent away that has ended meanwhile.
   *
   * @param homeOf the group that a process, by its number, goes to
   * @throws IOException if there are still some after ten seconds
   */
  public static void remove(Path group, Function<String, Path> homeOf) throws IOException {
    remove(group, homeOf, Files::delete, () -> LockSupport.parkNanos(PAUSE_NANOS));
  }

  /**
   * The same.
   *
   * @param pause is made before it is tried again
   */
  static void remove(Path group, Function<String, Path> homeOf, Removal removal, Runnable pause)
      throws IOException {
    for (int tries = 1; ; tries++) {
      try {
        for (String pid : Files.readAllLines(group.resolve("cgroup.procs"))) {
          Files.writeString(homeOf.apply(pid).resolve("cgroup.procs"), pid);
        }
        removal.remove(group);
        return;
      } catch (IOException e) {
        if (tries == TRIES_MAX) {
          throw e;
        }
      }
      pause.run();
    }
  }
}
