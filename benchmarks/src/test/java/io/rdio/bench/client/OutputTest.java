// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.client;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class OutputTest {
  private static final long MIB = 1L << 20;

  @Test
  void aBlockIsAsLongAsTheFileInWholeMebibytes() {
    assertThat(Output.blockFor(1)).isEqualTo(MIB);
    assertThat(Output.blockFor(MIB)).isEqualTo(MIB);
    assertThat(Output.blockFor(3 * MIB + 1)).isEqualTo(4 * MIB);
  }
}
