// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How many bytes each block of a group has. */
final class StripeLayoutTest {
  private static final StripeLayout LAYOUT = new StripeLayout(3, 2, 10);

  @Test
  void blocksHaveWhatIsLaidOnThemByteByByte() {
    for (int length = 0; length <= 95; length++) {
      long[] expected = new long[5];
      for (int at = 0; at < length; at++) {
        expected[at / 10 % 3]++;
      }
      expected[3] = expected[0]; // the first one is never shorter than another
      expected[4] = expected[0];
      for (int unit = 0; unit < 5; unit++) {
        assertThat(LAYOUT.blockBytes(unit, length))
            .as(unit + " of " + length)
            .isEqualTo(expected[unit]);
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"0, 2, 10", "3, 0, 10", "3, 2, 0", "12, 5, 10", "15, 1, 1073741824", "-1, 2, 10"})
  void whatCannotBeIsRefused(int data, int parity, int cell) {
    assertThatThrownBy(() -> new StripeLayout(data, parity, cell))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
