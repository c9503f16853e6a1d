// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.block;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class TokenedBlockTest {
  private static final BlockKey BLOCK = new BlockKey("BP-1", 1, 1001);

  @Test
  void tokenWithoutContentIsNone() {
    assertThat(new TokenedBlock(BLOCK, new byte[4]).token()).isEmpty();
    assertThat(new TokenedBlock(BLOCK, new byte[0]).token()).isEmpty();
  }

  @Test
  void anyOtherIsKept() {
    assertThat(new TokenedBlock(BLOCK, new byte[] {0, 0, 0, 1}).token()).hasSize(4);
    assertThat(new TokenedBlock(BLOCK, new byte[5]).token()).hasSize(5);
  }
}
