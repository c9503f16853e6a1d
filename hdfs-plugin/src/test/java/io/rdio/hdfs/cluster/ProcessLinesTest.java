// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Lines of a shell. */
class ProcessLinesTest {
  private static final Duration LONG = Duration.ofMinutes(1);
  private static final Duration SHORT = Duration.ofMillis(10);

  @TempDir private Path folder;
  private @Nullable Process shell;

  private ProcessLines lines(String script) throws IOException {
    Path log = folder.resolve("its.log");
    shell = new ProcessBuilder("sh", "-c", script).redirectError(log.toFile()).start();
    return ProcessLines.of(shell, "the shell", log);
  }

  @AfterEach
  void end() throws InterruptedException {
    if (shell != null) {
      assertThat(shell.destroyForcibly().waitFor(1, TimeUnit.MINUTES)).isTrue();
    }
  }

  @Test
  void linesComeInTheirOrder() throws IOException {
    ProcessLines lines = lines("echo one; echo; echo three");
    assertThat(lines.next("the first", LONG)).isEqualTo("one");
    assertThat(lines.hasLine(LONG)).isTrue();
    assertThat(lines.hasLine(Duration.ZERO)).as("not taken yet").isTrue();
    assertThat(lines.next("the second", LONG)).isEmpty();
    assertThat(lines.next("the third", LONG)).isEqualTo("three");
  }

  @Test
  void silenceIsNotWaitedForForEver() throws IOException {
    ProcessLines lines = lines("echo trouble >&2; echo begun; exec sleep 600");
    assertThat(lines.next("a word", LONG)).isEqualTo("begun");
    assertThat(lines.hasLine(SHORT)).isFalse();
    assertThatThrownBy(() -> lines.next("'done'", SHORT))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith("the shell printed nothing for 0 s, and was to print 'done'")
        .hasMessageContaining("it printed last: begun;")
        .hasMessageEndingWith("the end of " + folder.resolve("its.log") + ":\ntrouble");
  }

  @Test
  void endIsToldToWhoeverAsks() throws IOException {
    ProcessLines lines = lines("exit 3");
    assertThat(lines.hasLine(LONG)).as("a line, or the end").isTrue();
    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(() -> lines.next("'ready'", LONG))
          .isInstanceOf(IOException.class)
          .hasMessageStartingWith("the shell ended, and was to print 'ready'")
          .hasMessageContaining("it printed last: nothing;");
    }
  }

  @Test
  void ofALongLogThereIsTheEnd() throws IOException {
    ProcessLines lines = lines("for i in $(seq 30); do echo \"line $i\" >&2; done");
    assertThatThrownBy(() -> lines.next("a word", LONG))
        .hasMessageContaining("its.log:\nline 19\n")
        .hasMessageEndingWith("\nline 30");
  }

  @Test
  void whoWaitsMayBeInterrupted() throws IOException {
    ProcessLines lines = lines("exec sleep 600");
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> lines.next("a word", LONG)).isInstanceOf(InterruptedIOException.class);
    assertThat(Thread.interrupted()).isTrue();
  }
}
