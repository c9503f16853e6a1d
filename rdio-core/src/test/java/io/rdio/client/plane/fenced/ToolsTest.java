// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.fenced;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.core.testing.ManualClock;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Programs that end, and such as have to be ended. */
final class ToolsTest {
  @TempDir Path folder;

  private final ManualClock clock = new ManualClock();

  private Tools tools() {
    return new Tools(folder, clock, Duration.ofMinutes(1).toNanos());
  }

  @Test
  void whatItSays() throws Exception {
    assertThat(tools().run("sh", "-c", "echo a; echo b; echo c >&2")).isEqualTo("a\nb");
  }

  @Test
  void failureWithWhatItSays() {
    assertThatThrownBy(() -> tools().run("sh", "-c", "echo why >&2; exit 3"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("why");
  }

  @Test
  void programThatIsNotThere() {
    assertThatThrownBy(() -> tools().run("rdio-no-such-program"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("rdio-no-such-program");
  }

  /** Java looks for programs on this program's own path, which has these, too. */
  @Test
  void programsAreTheSystemsWhateverThePathIs() throws Exception {
    String[] said = tools().run("sh", "-c", "echo $0; echo $PATH").split("\n", -1);
    assertThat(said[0]).matches("(/usr)?/bin/sh");
    assertThat(said[1]).isEqualTo("/usr/sbin:/sbin:/usr/bin:/bin");
    assertThat(Tools.find("sh")).hasValue(Path.of(said[0]));
    assertThat(Tools.find("rdio-no-such-program")).isEmpty();
  }

  @Test
  void endedWhenItIsTooLate() {
    Path begun = folder.resolve("begun");
    long late = Duration.ofMinutes(2).toNanos();
    Tools tools =
        new Tools(folder, () -> Files.exists(begun) ? late : 0, Duration.ofMinutes(1).toNanos());
    assertThatThrownBy(() -> tools.run("sh", "-c", "touch " + begun + "; exec sleep 600"))
        .hasMessageContaining("took too long");
    assertThat(begun).exists();
  }

  @Test
  void notBegunWhenItIsTooLate() {
    Tools tools = tools();
    clock.advance(Duration.ofMinutes(2));
    Path begun = folder.resolve("begun");
    assertThatThrownBy(() -> tools.run("touch", begun.toString()))
        .hasMessageContaining("took too long");
    assertThat(begun).doesNotExist();
  }

  @Test
  void patientOnesHaveTimeWhenItIsTooLate() throws Exception {
    Tools tools = tools();
    clock.advance(Duration.ofMinutes(2));
    assertThat(tools.patient().run("sh", "-c", "sleep 0.1; echo a")).isEqualTo("a");
  }

  @Test
  void patientOnesEndAheadOfTheInterrupt() throws Exception {
    Thread.currentThread().interrupt();
    String said;
    try {
      said = tools().patient().run("sh", "-c", "sleep 0.1; echo a");
    } finally {
      assertThat(Thread.interrupted()).isTrue();
    }
    assertThat(said).isEqualTo("a");
  }

  @Test
  void endedWhenItWritesTooMuch() {
    Path out = folder.resolve("zeros");
    assertThatThrownBy(
            () ->
                tools().run(new Tools.Growth(out, 1 << 20), out, "dd", "if=/dev/zero", "bs=65536"))
        .hasMessageContaining("too much");
  }

  @Test
  void endedWhenItComplainsTooMuch() {
    assertThatThrownBy(() -> tools().run("sh", "-c", "exec yes >&2"))
        .hasMessageContaining("too much");
  }

  @Test
  void endedWhenItSaysTooMuchBesideItsFile() {
    Tools.Growth none = new Tools.Growth(folder.resolve("file"), 1 << 20);
    assertThatThrownBy(() -> tools().run(none, folder.resolve("talk"), "yes"))
        .hasMessageContaining("too much");
  }

  @Test
  void failureThatSaysWhatIsNoText() {
    assertThatThrownBy(() -> tools().run("sh", "-c", "printf 'why\\377' >&2; exit 3"))
        .hasMessageContaining("why");
  }

  @Test
  void interrupted() {
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> tools().run("sleep", "600"))
        .isInstanceOf(InterruptedIOException.class);
    assertThat(Thread.interrupted()).isTrue();
  }
}
