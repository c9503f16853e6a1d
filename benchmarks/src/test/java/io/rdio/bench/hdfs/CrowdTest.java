// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.hdfs;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.bench.client.Answer;
import io.rdio.bench.client.Written;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CrowdTest {
  private static Answer answer(double seconds, Map<String, Long> fallbacks) {
    return new Answer(
        1000,
        10,
        seconds,
        0.25,
        900,
        900,
        0,
        0,
        0,
        fallbacks,
        "",
        List.of(),
        Map.of(),
        Written.NONE);
  }

  @Test
  void takesAsLongAsItsSlowestProcessAndHasTheReasonsOfAll() {
    Answer all =
        Crowd.together(
            List.of(
                answer(1.5, Map.of("AGENT_BUSY", 2L)),
                answer(2.5, Map.of("AGENT_BUSY", 1L, "LEASE_EXPIRED", 4L)),
                answer(2, Map.of())));
    assertThat(all.seconds()).isEqualTo(2.5);
    assertThat(all.bytes()).isEqualTo(3000);
    assertThat(all.reads()).isEqualTo(30);
    assertThat(all.cpuSeconds()).isEqualTo(0.75);
    assertThat(all.rdioBytes()).isEqualTo(2700);
    assertThat(all.fallbacks()).isEqualTo(Map.of("AGENT_BUSY", 3L, "LEASE_EXPIRED", 4L));
  }
}
