// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClientJvmTest {
  /** As a cluster gives it: without the options that were meant for other JVMs. */
  private final ProcessBuilder jvm = new ProcessBuilder("java");

  @TempDir private Path folder;

  ClientJvmTest() {
    jvm.environment().clear();
  }

  @Test
  void clientsHaveTheOptionsThatTheUserSet() {
    ClientJvm.handOnOptions(Map.of("JAVA_TOOL_OPTIONS", "-Dkey=value", "OTHER", "x"), jvm);
    assertThat(jvm.environment()).isEqualTo(Map.of("JAVA_TOOL_OPTIONS", "-Dkey=value"));
  }

  @Test
  void withoutThemThereAreNone() {
    ClientJvm.handOnOptions(Map.of(), jvm);
    assertThat(jvm.environment()).isEmpty();
  }

  /** As long as its standard input is open a client lives, and then says something. */
  private ClientJvm client(int exitStatus) throws IOException {
    Path log = folder.resolve("client-rdio.log");
    String script = "cat; echo no space left >&2; exit " + exitStatus;
    Process process = new ProcessBuilder("sh", "-c", script).redirectError(log.toFile()).start();
    return new ClientJvm("rdio", log, process);
  }

  @Test
  void clientThatEndsByItselfHasWrittenWhatItRecorded() throws IOException {
    assertThatCode(client(0)::end).doesNotThrowAnyException();
  }

  @Test
  void clientThatDiedIsNotTakenForOne() throws IOException {
    assertThatThrownBy(client(3)::end)
        .isInstanceOf(IOException.class)
        .hasMessageContaining("the client of rdio ended with exit status 3")
        .hasMessageEndingWith("no space left");
  }
}
