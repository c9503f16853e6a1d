// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.hdfs;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.bench.client.Answer;
import io.rdio.bench.client.Answer.Counters;
import io.rdio.bench.client.Answer.Totals;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CrowdTest {
  private static Answer answer(double seconds, Map<String, Long> fallbacks) {
    return Answer.of(
        new Totals(1000, 10, seconds, 0.25, 0.125), new Counters(900, 900, 0, 0, 0, 0, fallbacks));
  }

  @Test
  void takesAsLongAsItsSlowestProcessAndHasTheReasonsOfAll() {
    Answer all =
        Crowd.together(
            List.of(
                answer(1.5, Map.of("AGENT_BUSY", 2L)),
                answer(2.5, Map.of("AGENT_BUSY", 1L, "LEASE_EXPIRED", 4L)),
                answer(2, Map.of())));
    assertThat(all.totals().seconds()).isEqualTo(2.5);
    assertThat(all.totals().bytes()).isEqualTo(3000);
    assertThat(all.totals().reads()).isEqualTo(30);
    assertThat(all.totals().cpuSeconds()).isEqualTo(0.75);
    assertThat(all.totals().threadCpuSeconds()).isEqualTo(0.375);
    assertThat(all.counters().rdioBytes()).isEqualTo(2700);
    assertThat(all.counters().fallbacks()).isEqualTo(Map.of("AGENT_BUSY", 3L, "LEASE_EXPIRED", 4L));
  }
}
