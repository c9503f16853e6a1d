// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Ends of a shell. */
class ProcessEndTest {
  private static final Duration LONG = Duration.ofMinutes(1);
  private static final Duration SHORT = Duration.ofMillis(10);

  private @Nullable Process shell;

  private Process shell(String script) throws IOException {
    Process started = new ProcessBuilder("sh", "-c", script).start();
    shell = started;
    return started;
  }

  @AfterEach
  void end() throws InterruptedException {
    if (shell != null) {
      assertThat(shell.destroyForcibly().waitFor(1, TimeUnit.MINUTES)).isTrue();
    }
  }

  @Test
  void commandHasItsStatusAndWhatItPrinted() throws IOException {
    assertThat(ProcessEnd.of(shell("echo one; echo two; exit 3"), "the shell"))
        .isEqualTo(new ProcessEnd(3, "one\ntwo\n"));
    assertThat(ProcessEnd.statusOf(shell("exit 4"), "the shell")).isEqualTo(4);
  }

  @Test
  void whatItPrintsIsReadAsItComes() throws IOException {
    String much = "i=0; while [ $i -lt 20000 ]; do echo 123456789; i=$((i + 1)); done";
    byte[] read = ProcessEnd.read(shell(much), "the shell", LONG, InputStream::readAllBytes);
    assertThat(read).hasSize(200_000);
  }

  @Test
  void oneThatStaysIsKilledAndWhatItPrintedIsTold() throws IOException {
    Process staying = shell("sleep 600 & echo begun; wait");
    // What it says is in the pipe then, and still there.
    await().atMost(LONG).until(() -> staying.getInputStream().available() > 0);
    assertThatThrownBy(() -> ProcessEnd.of(staying, "the shell", SHORT))
        .isInstanceOf(IOException.class)
        .hasMessage(
            "the shell has not ended in 0 s, and was killed; the end of what it printed: begun\n");
    assertThat(staying.onExit().orTimeout(1, TimeUnit.MINUTES).join().exitValue()).isNotZero();
  }

  @Test
  void oneThatClosedItsOutputAndStaysIsKilled() throws IOException {
    Process silent = shell("exec >&-; exec sleep 600");
    assertThatThrownBy(() -> ProcessEnd.of(silent, "the shell", SHORT))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith("the shell has not ended in 0 s, and was killed");
    assertThat(silent.onExit().orTimeout(1, TimeUnit.MINUTES).join().exitValue()).isNotZero();
  }

  @Test
  void killedOneHasEnded() throws IOException {
    Process staying = shell("exec sleep 600");
    ProcessEnd.kill(staying);
    assertThat(staying.isAlive()).isFalse();
  }

  @Test
  void whatCannotBeReadIsToldWithItsReason() throws IOException {
    assertThatThrownBy(
            () ->
                ProcessEnd.read(
                    shell("exit 0"),
                    "the shell",
                    LONG,
                    output -> {
                      throw new IOException("by the test");
                    }))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("what the shell prints cannot be read")
        .hasMessageContaining("by the test");
  }

  @Test
  void whoWaitsForOutputMayBeInterruptedAndLeavesNothingRunning() throws IOException {
    Process staying = shell("exec sleep 600");
    assertInterrupted(staying, () -> ProcessEnd.of(staying, "the shell", LONG));
  }

  @Test
  void whoWaitsForTheEndMayBeInterruptedAndLeavesNothingRunning() throws IOException {
    Process staying = shell("exec sleep 600");
    assertInterrupted(staying, () -> ProcessEnd.statusOf(staying, "the shell", LONG));
  }

  private static void assertInterrupted(Process staying, ThrowingCallable waiting) {
    Thread.currentThread().interrupt();
    assertThatThrownBy(waiting).isInstanceOf(InterruptedIOException.class);
    assertThat(Thread.interrupted()).isTrue();
    assertThat(staying.onExit().orTimeout(1, TimeUnit.MINUTES).join().exitValue()).isNotZero();
  }
}
