// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.agent.ipc.GroupStripes.Parity;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a client's keys say of parity. */
final class WriteConfigTest {
  private static final String PARITY = "dfs.client.rdio.write.parity";
  private static final String WAIT = PARITY + ".wait";

  private static WriteConfig config(String... keysAndValues) {
    return WriteConfig.of(Choices.conf(keysAndValues));
  }

  @ParameterizedTest
  @CsvSource({
    "immediate, /logs, /logs/a, IMMEDIATE",
    "deferred, /logs, /logs/a, AWAITED",
    "deferred, '/x,/logs/', /logs/a, AWAITED",
    "deferred, /logs, /logs2/a, DEFERRED",
    "deferred, '', /logs/a, DEFERRED",
    "deferred, /, /logs/a, AWAITED"
  })
  void parityIsWhatKindAndPathSay(String kind, String folders, String path, Parity expected) {
    assertThat(config(PARITY, kind, WAIT, folders).parity(path)).isEqualTo(expected);
  }

  @Test
  void byDefaultThereIsNone() {
    assertThat(config().hasParity()).isFalse();
    assertThat(config(PARITY, "immediate").hasParity()).isTrue();
    assertThat(config(PARITY, "deferred").hasParity()).isTrue();
  }

  @Test
  void foldersBeginWithASlash() {
    assertThatThrownBy(() -> config(WAIT, "logs"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(WAIT)
        .hasMessageContaining("logs");
  }
}
