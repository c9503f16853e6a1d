// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;

/**
 * What a test needs of the machine. Where it is missing the test is skipped with the reason; where
 * the environment has RDIO_REQUIRE_ALL=1, as CI has, it fails.
 */
public final class Requirements {
  private static final boolean REQUIRE_ALL = "1".equals(System.getenv("RDIO_REQUIRE_ALL"));

  private Requirements() {}

  /** Whether nothing may be left out for what the machine lacks. */
  public static boolean areAllRequired() {
    return REQUIRE_ALL;
  }

  /** Skips, or fails, unless the condition holds. */
  public static void require(boolean condition, String reason) {
    if (REQUIRE_ALL) {
      Assertions.assertTrue(condition, reason + " (RDIO_REQUIRE_ALL is set)");
    }
    Assumptions.assumeTrue(condition, reason);
  }

  /** Root, loop devices, and a kernel and tools for a file system. */
  public static void requireLoop(String fsType) throws IOException {
    require(isRoot(), "loop devices and mounts need root");
    require(Files.exists(Path.of("/dev/loop-control")), "this kernel has no loop devices");
    requireTool("losetup");
    requireTool("mkfs." + fsType);
    require(kernelKnows(fsType), "this kernel cannot mount " + fsType);
  }

  /** A program on the PATH. */
  public static void requireTool(String tool) throws IOException {
    require(Command.succeeds("sh", "-c", "command -v " + tool), tool + " is not installed");
  }

  private static boolean isRoot() throws IOException {
    return Integer.valueOf(0).equals(Files.getAttribute(Path.of("/proc/self"), "unix:uid"));
  }

  private static boolean kernelKnows(String fsType) throws IOException {
    return Files.readString(Path.of("/proc/filesystems")).contains("\t" + fsType + "\n")
        || Command.succeeds("modprobe", fsType);
  }
}
