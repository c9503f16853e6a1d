// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Ends of programs. */
class CommandTest {
  @Test
  void whatItWroteIsItsOutputAndItsErrors() throws IOException {
    assertThat(Command.run("sh", "-c", "echo one; echo two >&2")).isEqualTo("one\ntwo");
    assertThat(Command.succeeds("sh", "-c", "exit 0")).isTrue();
    assertThat(Command.succeeds("sh", "-c", "exit 1")).isFalse();
  }

  @Test
  void oneThatFailsIsToldWithWhatItWrote() {
    assertThatThrownBy(() -> Command.run("sh", "-c", "echo why; exit 3"))
        .isInstanceOf(IOException.class)
        .hasMessage("[sh, -c, echo why; exit 3] failed with 3: why");
  }

  @Test
  void oneThatStaysIsKilled() {
    assertThatThrownBy(() -> Command.run(Duration.ofMillis(1), "sleep", "600"))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith("[sleep, 600] has not ended in 0 s, and was killed");
  }

  /** As a daemon, which has the output that it was started with. */
  @Test
  void whatItLeavesRunningIsNotWaitedFor() throws IOException {
    String left = Command.run(Duration.ofMinutes(5), "sh", "-c", "sleep 600 & echo $!");
    assertThat(left).containsOnlyDigits();
    assertThat(ProcessHandle.of(Long.parseLong(left))).hasValueSatisfying(CommandTest::isKilled);
  }

  private static void isKilled(ProcessHandle process) {
    assertThat(process.destroyForcibly()).isTrue();
  }

  @Test
  void threadThatIsInterruptedHasItsAnswerToo() throws IOException {
    Thread.currentThread().interrupt();
    assertThat(Command.run("echo", "one")).isEqualTo("one");
    assertThat(Thread.interrupted()).isTrue();
  }
}
