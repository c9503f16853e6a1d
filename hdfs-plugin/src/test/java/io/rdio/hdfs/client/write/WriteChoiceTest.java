// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.hdfs.RdioConfigKeys;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which files are for RDIO, and for how long none is. */
final class WriteChoiceTest {
  private static final long BACK_OFF_NANOS = TimeUnit.SECONDS.toNanos(30);

  private final FakeBlocks agent = new FakeBlocks();

  private static FallbackReason reasonAt(WriteChoice choice, String path) {
    return catchThrowableOfType(FallbackException.class, () -> choice.requireFor(path)).reason();
  }

  @ParameterizedTest
  @ValueSource(strings = {"/a/file", "/a/b/c", "/logs/today/x"})
  void filesBelowThePathsAreForRdio(String path) {
    WriteChoice choice =
        new Choices(agent, RdioConfigKeys.CLIENT_WRITE_PATHS.name(), "/a, /logs/today/").choice;
    assertThatCode(() -> choice.requireFor(path)).doesNotThrowAnyException();
  }

  @ParameterizedTest
  @ValueSource(strings = {"/", "/a", "/ab/file", "/logs/todays", "/logs/x", "/b/a/file"})
  void othersAreNot(String path) {
    WriteChoice choice =
        new Choices(agent, RdioConfigKeys.CLIENT_WRITE_PATHS.name(), "/a, /logs/today/").choice;
    agent.there = FakeBlocks.refusal(FallbackReason.AGENT_UNAVAILABLE);
    assertThat(reasonAt(choice, path)).isEqualTo(FallbackReason.DISABLED);
  }

  @Test
  void allFilesAreByDefault() {
    WriteChoice choice = new Choices(agent).choice;
    assertThatCode(() -> choice.requireFor("/x")).doesNotThrowAnyException();
    assertThat(agent.asked).as("nobody is asked before a block is wanted").isZero();
    agent.there = FakeBlocks.refusal(FallbackReason.AGENT_UNAVAILABLE);
    assertThat(reasonAt(choice, "/x")).isEqualTo(FallbackReason.AGENT_UNAVAILABLE);
  }

  @ParameterizedTest
  @CsvSource({"SLOTS_EXHAUSTED, false", "AGENT_BUSY, false", "DEVICE_PERMISSION, true"})
  void refusalHoldsForAWhile(FallbackReason reason, boolean isLong) {
    Choices choices = new Choices(agent);
    choices.choice.refused(FakeBlocks.refusal(reason), "/x");
    assertThat(choices.counters.fallbacks(reason)).isEqualTo(1);

    choices.nanos.addAndGet((isLong ? BACK_OFF_NANOS : WriteChoice.MOMENT_NANOS) - 1);
    assertThat(reasonAt(choices.choice, "/y")).isEqualTo(reason);
    assertThatThrownBy(choices.choice::requireAnswering).isInstanceOf(FallbackException.class);
    assertThat(agent.asked).isZero();

    choices.nanos.incrementAndGet();
    assertThatCode(() -> choices.choice.requireFor("/y")).doesNotThrowAnyException();
    assertThatCode(choices.choice::requireAnswering).doesNotThrowAnyException();
  }

  /** Or a stream of files would keep it up for ever. */
  @Test
  void refusalIsNotRenewedByWhomItRefuses() {
    Choices choices = new Choices(agent);
    choices.choice.refused(FakeBlocks.refusal(FallbackReason.AGENT_BUSY), "/x");
    choices.nanos.addAndGet(WriteChoice.MOMENT_NANOS / 2);
    FallbackException again =
        catchThrowableOfType(FallbackException.class, choices.choice::requireAnswering);
    choices.choice.refused(again, "/y");

    choices.nanos.addAndGet(WriteChoice.MOMENT_NANOS / 2);

    assertThatCode(choices.choice::requireAnswering).doesNotThrowAnyException();
    assertThat(choices.counters.fallbacks(FallbackReason.AGENT_BUSY)).isEqualTo(2);
  }

  @Test
  void whatGoesOnIsTriedLessAndLess() {
    Choices choices = new Choices(agent);
    for (int seconds : new int[] {1, 2, 4, 8, 16, 30, 30}) {
      choices.choice.refused(FakeBlocks.refusal(FallbackReason.AGENT_BUSY), "/x");
      choices.nanos.addAndGet(TimeUnit.SECONDS.toNanos(seconds) - 1);
      assertThat(reasonAt(choices.choice, "/x")).isEqualTo(FallbackReason.AGENT_BUSY);
      choices.nanos.incrementAndGet();
      assertThatCode(() -> choices.choice.requireFor("/x")).doesNotThrowAnyException();
    }
    choices.choice.worked();
    choices.choice.refused(FakeBlocks.refusal(FallbackReason.AGENT_BUSY), "/x");
    choices.nanos.addAndGet(WriteChoice.MOMENT_NANOS);
    assertThatCode(() -> choices.choice.requireFor("/x")).doesNotThrowAnyException();
  }

  @ParameterizedTest
  @ValueSource(strings = {"relative", "/a, b"})
  void pathsBeginWithASlash(String paths) {
    assertThatThrownBy(
            () -> WriteConfig.of(Choices.conf(RdioConfigKeys.CLIENT_WRITE_PATHS.name(), paths)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("dfs.client.rdio.write.paths");
  }
}
