// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.block.BlockKey;
import org.junit.jupiter.api.Test;

final class MapAskTest {
  private static final BlockKey BLOCK = new BlockKey("BP-1", 1, 1001);

  @Test
  void tokenWithoutContentIsNone() {
    assertThat(new MapAsk(BLOCK, "", new byte[4], false).token()).isEmpty();
    assertThat(new MapAsk(BLOCK, "", new byte[0], false).token()).isEmpty();
  }

  @Test
  void anyOtherIsKept() {
    assertThat(new MapAsk(BLOCK, "", new byte[] {0, 0, 0, 1}, false).token()).hasSize(4);
    assertThat(new MapAsk(BLOCK, "", new byte[5], false).token()).hasSize(5);
  }
}
