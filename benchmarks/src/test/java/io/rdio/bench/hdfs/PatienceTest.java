// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.hdfs;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class PatienceTest {
  @Test
  void whoHasMoreToReadIsWaitedForLonger() {
    assertThat(Patience.ofBytes(0)).isEqualTo(Duration.ofMinutes(5));
    assertThat(Patience.ofBytes(60L << 20)).isEqualTo(Duration.ofMinutes(6));
    assertThat(Patience.ofBytes(1799L << 20)).isEqualTo(Duration.ofSeconds(300 + 1799));
  }

  @Test
  void butNobodyForHours() {
    for (long bytes : new long[] {1800L << 20, 60L << 30, Long.MAX_VALUE}) {
      assertThat(Patience.ofBytes(bytes)).isEqualTo(Duration.ofMinutes(35));
    }
  }
}
