// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.device;

import static io.rdio.core.testing.Patience.await;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.rdio.core.testing.Command;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** A {@link StoppedReader} in a process of its own, which is killed by {@link #close}. */
final class StoppedProcess implements AutoCloseable {
  private static final Duration PAUSE = Duration.ofMillis(1);

  private final Process process;
  private final BufferedReader said;

  /** What happens while it is stopped. */
  @FunctionalInterface
  interface Meanwhile {
    /** With the place of the block, which is negative while there is no map. */
    void happens(long place) throws Exception;
  }

  StoppedProcess(Path backingFile) throws IOException {
    process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                StoppedReader.class.getName(),
                backingFile.toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    said = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8));
  }

  /** Has it do what a line says; what came of it. */
  String read(String line, Meanwhile meanwhile) throws Exception {
    process.getOutputStream().write((line + "\n").getBytes(UTF_8));
    process.getOutputStream().flush();
    while (true) {
      await("the reader answers " + line)
          .pollInterval(PAUSE)
          .until(() -> said.ready() || !process.isAlive());
      String answer = said.readLine();
      if (answer == null) {
        throw new IOException("the reader ended at " + line);
      }
      if (!answer.startsWith("stopped ")) {
        return answer;
      }
      waitUntilStopped();
      meanwhile.happens(Long.parseLong(answer.substring(answer.lastIndexOf(' ') + 1)));
      Command.run("kill", "-CONT", Long.toString(process.pid()));
    }
  }

  private void waitUntilStopped() {
    Path stat = Path.of("/proc", Long.toString(process.pid()), "stat");
    await("the reader stops").pollInterval(PAUSE).until(() -> isStopped(Files.readString(stat)));
  }

  /** The state is behind the name, which is in parentheses. */
  private static boolean isStopped(String stat) {
    return stat.startsWith(") T ", stat.lastIndexOf(')'));
  }

  @Override
  public void close() {
    process.destroyForcibly().onExit().orTimeout(1, TimeUnit.MINUTES).join();
  }
}
