// SPDX-License-Identifier: Apache-2.0
package io.rdio.client;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ReadGeometryTest {
  private static final int KIB = 1 << 10;
  private static final int MIB = 1 << 20;

  @Test
  void windowsGrowFourfoldUpToTheLargest() {
    assertThat(ReadGeometry.windowSizes(MIB)).containsExactly(16 * KIB, 64 * KIB, 256 * KIB, MIB);
    assertThat(ReadGeometry.windowSizes(512 * KIB))
        .containsExactly(16 * KIB, 64 * KIB, 256 * KIB, 512 * KIB);
    assertThat(ReadGeometry.windowSizes(200_000)).containsExactly(16 * KIB, 64 * KIB, 256 * KIB);
  }

  @Test
  void whatIsTooSmallOrTooLargeIsNot() {
    assertThat(ReadGeometry.windowSizes(-1)).containsExactly(16 * KIB);
    assertThat(ReadGeometry.windowSizes(0)).containsExactly(16 * KIB);
    assertThat(ReadGeometry.windowSizes(Integer.MAX_VALUE)).endsWith(16 * MIB, 64 * MIB);
  }
}
