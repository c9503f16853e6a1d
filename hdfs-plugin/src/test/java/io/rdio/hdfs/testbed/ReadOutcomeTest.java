// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.testbed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ReadOutcomeTest {
  @Test
  void theClientsLineIsUnderstood() throws IOException {
    ReadOutcome outcome =
        ReadOutcome.parse("read abc 100 7 60 DEVICE_IO_ERROR=1 DEVICE_NOT_FOUND=2");

    assertThat(outcome)
        .isEqualTo(
            new ReadOutcome(
                "abc", 100, 7, 60, Map.of("DEVICE_IO_ERROR", 1L, "DEVICE_NOT_FOUND", 2L)));
    assertThat(outcome.allByRdio()).isFalse();
    assertThat(ReadOutcome.parse("read abc 100 7 100").allByRdio()).isTrue();
  }

  @Test
  void aClientThatFailedIsQuoted() {
    assertThatThrownBy(() -> ReadOutcome.parse("failed java.io.IOException: gone"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("java.io.IOException: gone");
  }
}
