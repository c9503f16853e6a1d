// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages as long as they say, and others; what becomes of garbage is in MetadataServerTest. */
final class ServerGarbageCheckTest {
  private static final byte[] MESSAGE = {1, 2, 3, 4, 5};

  private static InputStream saying(int length) {
    return new ByteArrayInputStream(MESSAGE) {
      @Override
      public synchronized int available() {
        return length;
      }
    };
  }

  @Test
  void messageIsAllOfItsBytes() throws IOException {
    assertThat(ServerGarbageCheck.all(saying(MESSAGE.length))).isEqualTo(MESSAGE);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 4, 6})
  void oneThatIsShorterOrLongerThanItSaysIsNone(int length) {
    assertThatIOException()
        .isThrownBy(() -> ServerGarbageCheck.all(saying(length)))
        .withMessage("a message of other than " + length + " bytes");
  }
}
