// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.testbed;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class WaitsTest {
  private int looks;

  @Test
  void whatIsTrueIsNotWaitedFor() throws IOException {
    assertThat(Waits.comes(Duration.ZERO, () -> true)).isTrue();
    assertThat(Waits.seconds(Duration.ZERO, () -> true)).isBetween(0.0, 60.0);
    Waits.await("nothing", () -> true);
  }

  @Test
  void whatDoesNotComeIsLookedAtOnceAtLeast() throws IOException {
    assertThat(Waits.comes(Duration.ZERO, () -> looks++ > 0)).isFalse();
    assertThat(looks).isEqualTo(1);
    assertThat(Waits.seconds(Duration.ZERO, () -> false)).isNaN();
  }

  @Test
  void whatComesLaterIsWaitedFor() throws IOException {
    assertThat(Waits.comes(() -> ++looks == 2)).isTrue();
    assertThat(looks).isEqualTo(2);
  }
}
