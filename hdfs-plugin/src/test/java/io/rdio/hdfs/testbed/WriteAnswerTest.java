// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.testbed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.junit.jupiter.api.Test;

class WriteAnswerTest {
  private static final String SHA_256 = "0123456789abcdef".repeat(4);
  private static final String LOST =
      "java.io.IOException: RDIO: /a0: block b is lost behind byte 7: DEVICE_IO_ERROR: gone";

  @Test
  void aFileIsClosedWithWhatWasWritten() throws IOException {
    WriteAnswer answer = WriteAnswer.parse("wrote", SHA_256);

    assertThat(answer).isEqualTo(new WriteAnswer(true, SHA_256));
    assertThat(answer.isPlain("/a0")).isTrue();
  }

  @Test
  void theFirstCallThatFailedHasTheReason() throws IOException {
    String again = "failed java.io.IOException: /a0: an earlier call failed";

    assertThat(WriteAnswer.parse("failed " + LOST, again)).isEqualTo(new WriteAnswer(false, LOST));
    assertThat(WriteAnswer.parse("wrote", "failed " + LOST))
        .isEqualTo(new WriteAnswer(false, LOST));
  }

  @Test
  void aReasonNamesTheFile() {
    assertThat(new WriteAnswer(false, LOST).isPlain("/a0")).isTrue();
    assertThat(new WriteAnswer(false, LOST).isPlain("/a")).isFalse();
    assertThat(new WriteAnswer(false, "java.io.EOFException").isPlain("/a0")).isFalse();
  }

  @Test
  void aCloseThatReturnsBehindAFailedWriteIsNeither() {
    assertThatThrownBy(() -> WriteAnswer.parse("failed " + LOST, SHA_256))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(SHA_256);
    assertThatThrownBy(() -> WriteAnswer.parse("wrote", "what?")).isInstanceOf(IOException.class);
  }
}
