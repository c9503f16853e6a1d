// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.fenced;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.core.testing.ManualClock;
import java.io.IOException;
import java.io.InterruptedIOException;
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

  @Test
  void endedWhenItIsTooLate() {
    Tools tools = tools();
    clock.advance(Duration.ofMinutes(2));
    assertThatThrownBy(() -> tools.run("sleep", "600")).hasMessageContaining("took too long");
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
  void interrupted() {
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> tools().run("sleep", "600"))
        .isInstanceOf(InterruptedIOException.class);
    assertThat(Thread.interrupted()).isTrue();
  }
}
