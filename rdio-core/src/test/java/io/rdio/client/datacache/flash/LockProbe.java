// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.datacache.flash;

import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.TimeUnit;

/** Another process, which tries to lock a file. */
final class LockProbe {
  private static final int LOCKED = 10;
  private static final int REFUSED = 11;

  private LockProbe() {}

  public static void main(String[] file) throws Exception {
    try (FileChannel channel = FileChannel.open(Path.of(file[0]), StandardOpenOption.WRITE)) {
      System.exit(channel.tryLock() == null ? REFUSED : LOCKED);
    }
  }

  /** Whether another process has it locked. */
  static boolean isRefused(Path file) throws Exception {
    Path classes =
        Path.of(LockProbe.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                classes.toString(),
                LockProbe.class.getName(),
                file.toString())
            .inheritIO()
            .start();
    try {
      if (!process.waitFor(300, TimeUnit.SECONDS)) {
        throw new IllegalStateException("the other process does not end");
      }
      return switch (process.exitValue()) {
        case LOCKED -> false;
        case REFUSED -> true;
        default -> throw new IllegalStateException("the other process: " + process.exitValue());
      };
    } finally {
      process.destroyForcibly();
    }
  }
}
