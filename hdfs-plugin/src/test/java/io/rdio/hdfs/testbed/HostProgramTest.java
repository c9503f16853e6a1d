// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.testbed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Programs of a shell. */
class HostProgramTest {
  private static final Duration SHORT = Duration.ofMillis(10);

  @TempDir private Path folder;

  private HostProgram program(String script) throws IOException {
    return new HostProgram(new ProcessBuilder("sh", "-c", script), folder.resolve("attacked.log"));
  }

  @Test
  void eachLineIsAnsweredWithOne() throws IOException {
    try (HostProgram program =
        program("echo begun; while read -r line; do echo \"$line, too\"; done; echo over")) {
      assertThat(program.line()).isEqualTo("begun");
      assertThat(program.ask("this")).isEqualTo("this, too");
      program.tell("that");
      assertThat(program.ask("more")).isEqualTo("that, too");
      assertThat(program.line()).isEqualTo("more, too");
      assertThat(program.end()).isEqualTo("over");
    }
  }

  @Test
  void noAnswerIsNamedByItsQuestion() throws IOException {
    try (HostProgram program = program("read -r line; echo \"$line\"; exec sleep 600")) {
      assertThat(program.ask("one")).isEqualTo("one");
      program.tell("two");
      program.tell("three");
      assertThatThrownBy(() -> program.line(SHORT))
          .isInstanceOf(IOException.class)
          .hasMessageStartingWith("the program with attacked.log printed nothing for")
          .hasMessageContaining("was to print its answer to: two;")
          .hasMessageContaining("it printed last: one;");
    }
  }

  @Test
  void endIsNamedByTheQuestionToo() throws IOException {
    try (HostProgram program = program("echo \"no room\" >&2; read -r line")) {
      assertThatThrownBy(() -> program.ask("write /a0 7"))
          .hasMessageContaining("ended, and was to print its answer to: write /a0 7;")
          .hasMessageEndingWith("no room");
    }
  }
}
