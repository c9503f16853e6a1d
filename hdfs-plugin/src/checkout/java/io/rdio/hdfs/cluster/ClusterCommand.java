// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cluster;

import io.rdio.hdfs.cli.RootRights;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * What commands that start a throwaway cluster have in common: they need root, and Ctrl-C ends them
 * with the cluster removed.
 */
public final class ClusterCommand {
  /** What shells expect of a program that Ctrl-C ended. */
  private static final int INTERRUPTED = 130;

  /** What the command does. */
  public interface Body {
    /** Returns the exit status. */
    int run() throws IOException;
  }

  private ClusterCommand() {}

  /**
   * Runs a command.
   *
   * @return the body's exit status, 130 if Ctrl-C ended it, or {@link RootRights#MISSING}
   */
  public static int run(Body body) throws IOException {
    if (!isRoot()) {
      return RootRights.missing("loop devices and mounts need root");
    }
    AtomicBoolean interrupted = new AtomicBoolean();
    Thread hook = new Thread(() -> sayInterrupted(interrupted), "interrupted");
    Runtime.getRuntime().addShutdownHook(hook);
    try {
      int status = body.run();
      Runtime.getRuntime().removeShutdownHook(hook);
      return status;
    } catch (IOException e) {
      if (interrupted.get()) {
        return INTERRUPTED; // The daemons went first: what that broke here is no news.
      }
      Runtime.getRuntime().removeShutdownHook(hook);
      throw e;
    }
  }

  static boolean isRoot() throws IOException {
    return Integer.valueOf(0).equals(Files.getAttribute(Path.of("/proc/self"), "unix:uid"));
  }

  private static void sayInterrupted(AtomicBoolean interrupted) {
    interrupted.set(true);
    System.out.println("\nInterrupted: removing the cluster...");
  }
}
