// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.bench.client.SampleAnswers;
import io.rdio.bench.client.Task;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClientJvmTest {
  private static final Duration LONG = Duration.ofMinutes(1);
  private static final Task TASK = Task.verify(List.of("/one", "/other"));

  /** As a cluster gives it: without the options that were meant for other JVMs. */
  private final ProcessBuilder jvm = new ProcessBuilder("java");

  private final List<Process> processes = new ArrayList<>();

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

  @AfterEach
  void end() throws InterruptedException {
    for (Process process : processes) {
      assertThat(process.destroyForcibly().waitFor(1, TimeUnit.MINUTES)).isTrue();
    }
  }

  private ClientJvm client(String script, Duration once) throws IOException {
    Path log = folder.resolve("client-rdio.log");
    Process process = new ProcessBuilder("sh", "-c", script).redirectError(log.toFile()).start();
    processes.add(process);
    return new ClientJvm("rdio", log, process, once);
  }

  /** As long as its standard input is open a client lives, and then says something. */
  private ClientJvm client(int exitStatus) throws IOException {
    return client("cat; echo no space left >&2; exit " + exitStatus, LONG);
  }

  @Test
  void answerIsWaitedForAsLongAsTheTaskMayTake() throws IOException {
    ClientJvm silent = client("exec sleep 600", Duration.ofMillis(10));
    assertThatThrownBy(() -> silent.ask(TASK))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith(
            "the client of rdio printed nothing for 0 s, and was to print what came of VERIFY of"
                + " 2 files; it printed last: nothing;")
        .hasMessageContaining("the end of " + folder.resolve("client-rdio.log"));
  }

  @Test
  void answerThatComesLateIsNotThatOfTheNextTask() throws IOException {
    String late = SampleAnswers.of(7, 8, 9).toLine();
    ClientJvm client =
        client("read one; read other; echo '" + late + "'; exec sleep 600", Duration.ofMillis(10));
    assertThatThrownBy(() -> client.ask(TASK)).isInstanceOf(IOException.class);
    assertThatThrownBy(() -> client.ask(TASK))
        .isInstanceOf(IOException.class)
        .hasMessage("the client of rdio is asked no more, as it owes VERIFY of 2 files");
  }

  @Test
  void whoSaysSomethingElseIsNotReady() throws IOException {
    ClientJvm client = client("echo perhaps; exec sleep 600", LONG);
    client.send(TASK.whenTold());
    assertThatThrownBy(client::awaitReady)
        .isInstanceOf(IOException.class)
        .hasMessage("the client of rdio is not ready but says: perhaps");
  }

  @Test
  void whoIsReadyIsToldWhenToBegin() throws IOException {
    String answer = SampleAnswers.of(7, 8, 9).toLine();
    ClientJvm client =
        client("read task; echo ready; read time; [ $time = 123 ] && echo '" + answer + "'", LONG);
    client.send(TASK.whenTold());
    client.awaitReady();
    client.begin(123);
    assertThat(client.answer().toLine()).isEqualTo(answer);
  }

  @Test
  void endOfItsLogIsToldOfOneThatFailsAtATask() throws IOException {
    ClientJvm failing = client("read task; echo no space left >&2; exit 1", LONG);
    assertThatThrownBy(() -> failing.ask(TASK))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith("the client of rdio ended")
        .hasMessageEndingWith("no space left");
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
