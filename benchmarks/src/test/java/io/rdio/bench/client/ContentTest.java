// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.hdfs.demo.RandomContent;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.security.MessageDigest;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ContentTest {
  private static final int ARRAY = 3 << 20;

  private static byte[] written(Content content, String file, long length) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    content.write(out, file, length);
    return out.toByteArray();
  }

  private static String sha256(byte[] bytes) {
    MessageDigest digest = RandomContent.sha256();
    digest.update(bytes);
    return RandomContent.hex(digest);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, ARRAY, ARRAY + 7, 5L * ARRAY})
  void sumIsThatOfWhatIsWritten(long length) throws IOException {
    Content content = new Content(ARRAY);
    byte[] another = written(content, "/another", 4L * ARRAY);
    byte[] bytes = written(content, "/file", length);
    assertThat(bytes).hasSize((int) length);
    // Whatever was written by the same arrays before.
    assertThat(new Content(ARRAY).sha256("/file", length)).isEqualTo(sha256(bytes));
    assertThat(content.sha256("/another", another.length)).isEqualTo(sha256(another));
  }

  @Test
  void noTwoArraysOfNoTwoFilesAreTheSame() throws IOException {
    Content content = new Content(64 << 10);
    byte[] one = written(content, "/one", 32 << 20);
    byte[] two = written(content, "/two", 32 << 20);
    assertThat(one).isNotEqualTo(two);
    // Where the random bytes begin anew.
    int round = Output.ARRAY_BYTES_MAX;
    byte[] first = Arrays.copyOf(one, 64 << 10);
    byte[] later = Arrays.copyOfRange(one, round, round + (64 << 10));
    assertThat(later).isNotEqualTo(first);
  }

  @Test
  void arraysThatHaveNoRoomForTheirNumberAreRefused() {
    assertThatThrownBy(() -> new Content(7)).hasMessageContaining("7 bytes");
    assertThatThrownBy(() -> new Content(Output.ARRAY_BYTES_MAX + 1))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
