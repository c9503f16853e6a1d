// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.replicas;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A command that runs in a network namespace of its own, whose only link, the loopback one, carries
 * no more than so much: all that DataNodes send, together, and evenly, where their own throttle
 * sends what half a second allows at once. Needs root, {@code ip} and {@code tc}; the link goes
 * with the command's last process.
 */
final class SlowLink {
  private static final String INSIDE = "RDIO_BENCH_SLOW_LINK";

  /** What may be sent at once. A packet of the loopback link has 64 KiB. */
  private static final long LEAST_BURST = 1 << 20;

  private static final int BURST_PART = 100;

  private static final int CLEAN_UP_SECONDS = 60;

  private static final String SCRIPT =
      "set -e; ip link set lo up;"
          + " tc qdisc add dev lo root tbf rate \"$1\" burst \"$2\" latency 50ms;"
          + " shift 2; exec \"$@\"";

  private SlowLink() {}

  /** Whether this process runs on one. */
  static boolean isHere() {
    return System.getenv(INSIDE) != null;
  }

  /**
   * Runs this process' own command once more, on one, and waits for it.
   *
   * @return its exit status
   */
  static int runAgain(long bytesPerSecond) throws IOException {
    String own = Files.readString(Path.of("/proc/self/cmdline"), StandardCharsets.UTF_8);
    return run(bytesPerSecond, List.of(own.split("\0")));
  }

  /**
   * Runs a command on one, with this process' input and output, and waits for it.
   *
   * @param bytesPerSecond that the link carries, headers included
   * @return its exit status
   */
  static int run(long bytesPerSecond, List<String> command) throws IOException {
    List<String> all =
        new ArrayList<>(List.of("unshare", "--net", "sh", "-c", SCRIPT, "slow-link"));
    all.add(8 * bytesPerSecond + "bit");
    all.add(Math.max(LEAST_BURST, bytesPerSecond / BURST_PART) + "b");
    all.addAll(command);
    ProcessBuilder builder = new ProcessBuilder(all).inheritIO();
    builder.environment().put(INSIDE, "1");
    Process process = builder.start();
    Thread hook = new Thread(() -> end(process), "end of the command on a slow link");
    Runtime.getRuntime().addShutdownHook(hook); // a signal may have come to this process alone
    try {
      int status = process.waitFor();
      Runtime.getRuntime().removeShutdownHook(hook);
      return status;
    } catch (InterruptedException e) {
      end(process);
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("waiting for the command on a slow link");
    }
  }

  /** Has it clean up, for which it has a while. */
  private static void end(Process process) {
    process.destroy();
    try {
      if (!process.waitFor(CLEAN_UP_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
    }
  }
}
