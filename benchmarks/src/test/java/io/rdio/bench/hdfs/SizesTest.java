// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SizesTest {
  @Test
  void listsAndRanges() {
    assertThat(Sizes.parseReads("4k,64k,1m")).containsExactly(4096, 65536, 1 << 20);
    assertThat(Sizes.parseReads("32k..256k")).containsExactly(32768, 65536, 131072, 262144);
    assertThat(Sizes.parseReads("12k..30m").get(0)).isEqualTo(12288);
    assertThat(Sizes.parseReads("4k..4k,8k")).containsExactly(4096, 8192);
  }

  @ParameterizedTest
  @CsvSource(
      textBlock =
          """
          big        | 'big': not a size
          -4k        | -4k: must be greater than 0
          5000       | 5000: must be a multiple of 4k
          2g         | 2g: must be a multiple of 4k, of 1g at most
          1m..4k     | 1m..4k: ends below its start
          4k,        | '': not a size
          """,
      delimiter = '|')
  void refusesWithTheValueAndTheFix(String text, String message) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Sizes.parseReads(text))
        .withMessageContaining(message);
  }

  @Test
  void labels() {
    assertThat(Sizes.label(4096)).isEqualTo("4 KiB");
    assertThat(Sizes.label(1536L << 20)).isEqualTo("1536 MiB");
    assertThat(Sizes.label(2L << 30)).isEqualTo("2 GiB");
    assertThat(Sizes.label(1000)).isEqualTo("1000 B");
  }
}
