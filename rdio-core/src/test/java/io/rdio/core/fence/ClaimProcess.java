// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.fence;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Another process, which takes a claim and has it until it is killed. */
final class ClaimProcess implements AutoCloseable {
  private static final long SECONDS_MAX = 300;

  private final Process process;
  private final String said;

  /** Waits until it has said what came of it. */
  ClaimProcess(Path folder, String hostId, String wwid) throws Exception {
    process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                ClaimProcess.class.getName(),
                folder.toString(),
                hostId,
                wwid)
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    BufferedReader out = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8));
    CompletableFuture<String> line = CompletableFuture.supplyAsync(() -> line(out));
    boolean heard = false;
    try {
      said = line.get(SECONDS_MAX, TimeUnit.SECONDS);
      heard = true;
    } finally {
      if (!heard) {
        process.destroyForcibly();
      }
    }
  }

  private static String line(BufferedReader out) {
    try {
      return String.valueOf(out.readLine());
    } catch (IOException e) {
      return e.toString();
    }
  }

  String said() {
    return said;
  }

  long pid() {
    return process.pid();
  }

  /** By SIGKILL; it is over when this returns. */
  void kill() {
    process.destroyForcibly().onExit().orTimeout(SECONDS_MAX, TimeUnit.SECONDS).join();
  }

  @Override
  public void close() {
    kill();
  }

  /** The other process. */
  public static void main(String[] args) throws Exception {
    try {
      new HostClaims(Path.of(args[0])).take(args[1], args[2]);
      System.out.println("taken");
    } catch (ReservationException e) {
      System.out.println(e.obstacle() + ": " + e.getMessage());
    }
    System.in.read(); // until it is killed, or whoever started it has ended
  }
}
