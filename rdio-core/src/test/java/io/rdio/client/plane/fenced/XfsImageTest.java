// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.fenced;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.junit.jupiter.api.Test;

/** The room that copies may take. */
final class XfsImageTest {
  @Test
  void imageTakesRoomForWholeBlocksOfWhatItHas() {
    Sectors sectors = new Sectors();
    sectors.add(0, 1);
    sectors.add(1 << 20, (1 << 20) + 9);
    assertThatCode(() -> XfsImage.requireRoom(sectors, 3 * 4096)).doesNotThrowAnyException();
    assertThatThrownBy(() -> XfsImage.requireRoom(sectors, 3 * 4096 - 1))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("too much");
  }

  @Test
  void twoFilesAtOnceLeaveOthersAThird() {
    assertThat(XfsCopies.room(3L << 30)).isEqualTo(1L << 30);
    assertThat(XfsCopies.room(1L << 50)).isEqualTo(16L << 30);
  }
}
