// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.counters;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class LatencyHistogramTest {
  private final LatencyHistogram latency = new LatencyHistogram();

  @Test
  void durationsAreSummedExactlyAndCountedByPowersOfTwo() {
    latency.record(1_500);
    latency.record(3_000_000_007L);
    assertThat(latency.sumNanos()).isEqualTo(3_000_001_507L);
    assertThat(latency.count(1)).isEqualTo(1);
    assertThat(latency.percentileMicros(0.5)).isEqualTo(2);
  }

  @Test
  void negativeDurationsAreNone() {
    latency.record(-7);
    assertThat(latency.sumNanos()).isZero();
    assertThat(latency.count(0)).isEqualTo(1);
  }
}
