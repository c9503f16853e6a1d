// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.testbed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Against a shell that answers as a writer does. */
class WritingProcessTest {
  private static final String SHA_256 = "0123456789abcdef".repeat(4);
  private static final Duration LONG = Duration.ofMinutes(1);

  @TempDir private Path folder;

  /** Says so to a write and to a close, and as a writer does to all else. */
  private WritingProcess process(String toWrite, String toClose) throws IOException {
    String script =
        String.join(
            "\n",
            "bytes=0",
            "while read -r verb file more; do",
            "  case $verb in",
            "    open) echo opened ;;",
            "    write) bytes=$((bytes + more)); " + toWrite + " ;;",
            "    close) " + toClose + " ;;",
            "    delete) echo true ;;",
            "    digest) echo of $file ;;",
            "    bytes) echo $bytes ;;",
            "  esac",
            "done");
    return new WritingProcess(
        new HostProgram(new ProcessBuilder("sh", "-c", script), folder.resolve("log")));
  }

  @Test
  void filesAreWrittenAndClosed() throws IOException {
    try (WritingProcess writer = process("echo wrote", "echo " + SHA_256)) {
      assertThat(writer.create("/a0", 7)).isEqualTo(SHA_256);
      assertThat(writer.create("/a1", 3, 5)).isEqualTo(SHA_256);
      writer.open("/a2");
      writer.write("/a2", 1);
      assertThat(writer.digest("/a2")).isEqualTo("of /a2");
      assertThat(writer.close("/a2")).isEqualTo(new WriteAnswer(true, SHA_256));
      writer.delete("/a2");
      assertThat(writer.bytes()).isEqualTo(13);
      assertThat(writer.isServed("/b", 4)).isTrue();
    }
  }

  @Test
  void whatFailsIsQuoted() throws IOException {
    try (WritingProcess writer = process("echo failed: full", "echo failed late")) {
      writer.open("/a0");
      assertThatThrownBy(() -> writer.write("/a0", 1)).hasMessageContaining("failed: full");
      assertThat(writer.close("/a0")).isEqualTo(new WriteAnswer(false, "late"));
      assertThatThrownBy(() -> writer.create("/a1", 1)).isInstanceOf(IOException.class);
    }
  }

  @Test
  void anEndThatIsToldMayBeAskedForBeforeItIsThere() throws IOException {
    try (WritingProcess writer = process("echo wrote", "echo " + SHA_256)) {
      writer.tellToEnd("/a0", 7);
      assertThat(writer.isAnswered(LONG)).isTrue();
      assertThat(writer.answer(LONG)).isEqualTo(new WriteAnswer(true, SHA_256));
      writer.tellToEnd("/a1", 7);
      assertThat(writer.answer(LONG)).isEqualTo(new WriteAnswer(true, SHA_256));
    }
  }

  @Test
  void anAnswerThatNobodyAskedForIsNotTakenForAnotherOne() throws IOException {
    try (WritingProcess writer = process("echo wrote", "echo " + SHA_256)) {
      writer.dropAnswer(LONG);
      writer.tellToEnd("/a0", 7);
      writer.dropAnswer(LONG);
      assertThat(writer.bytes()).isEqualTo(7);
    }
  }

  @Test
  void aCloseThatHangsIsNotWaitedForForEver() throws IOException {
    try (WritingProcess writer = process("echo wrote", ":")) {
      writer.open("/a0");
      writer.tellToEnd("/a0", 7);
      assertThat(writer.isAnswered(Duration.ofMillis(1))).isFalse();
      assertThatThrownBy(() -> writer.answer(Duration.ofMillis(1)))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("log");
    }
  }
}
