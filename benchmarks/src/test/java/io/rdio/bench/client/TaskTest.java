// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class TaskTest {
  private static final List<String> FILES = List.of("/one", "/other");
  private static final Duration ONCE = Duration.ofMinutes(7);

  @Test
  void whatGoesOnForLongIsWaitedForLonger() {
    assertThat(Task.verify(FILES).patience(ONCE)).isEqualTo(ONCE);
    assertThat(Task.positional(FILES, 2, List.of(4096), 0, 90.5, 1).patience(ONCE))
        .isEqualTo(ONCE.plusSeconds(91));
    assertThat(Task.columns("/one", List.of(0), true, 3).patience(ONCE))
        .isEqualTo(ONCE.multipliedBy(3));
  }
}
