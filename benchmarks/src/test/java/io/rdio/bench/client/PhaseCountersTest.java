// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.client.counters.ClientCounters;
import io.rdio.hdfs.client.write.WriteCounters;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PhaseCountersTest {
  private static final Map<Phase, Long> READ =
      Map.of(Phase.OPEN, 10L, Phase.READ, 100L, Phase.CLOSE, 5L);
  private static final Map<Phase, Long> WRITTEN =
      Map.of(Phase.CREATE, 10L, Phase.WRITE, 30L, Phase.CLOSE, 100L);

  @Test
  void withoutRdioPhasesStayAsTheyWereTimed() {
    assertThat(PhaseCounters.split(READ, Map.of())).isEqualTo(READ);
    assertThat(PhaseCounters.split(WRITTEN, Map.of())).isEqualTo(WRITTEN);
  }

  @Test
  void whatRdioWaitsForIsNoneOfTheRestOfReading() {
    assertThat(PhaseCounters.split(READ, Map.of(Phase.MAP, 20L, Phase.DEVICE, 50L)))
        .isEqualTo(
            Map.of(
                Phase.OPEN,
                10L,
                Phase.MAP,
                20L,
                Phase.DEVICE,
                50L,
                Phase.READ,
                30L,
                Phase.CLOSE,
                5L));
  }

  @Test
  void ofARemoteWriteTheRestIsOfWriteAndCloseTogether() {
    assertThat(
            PhaseCounters.split(
                WRITTEN, Map.of(Phase.ALLOCATE, 40L, Phase.HAND_OVER, 20L, Phase.COMMIT, 50L)))
        .isEqualTo(
            Map.of(
                Phase.CREATE,
                10L,
                Phase.ALLOCATE,
                40L,
                Phase.HAND_OVER,
                20L,
                Phase.COMMIT,
                50L,
                Phase.REST,
                20L));
  }

  @Test
  void whatWentOnBesideTheApplicationLeavesNoRest() {
    assertThat(PhaseCounters.split(READ, Map.of(Phase.MAP, 200L))).containsEntry(Phase.READ, 0L);
    assertThat(PhaseCounters.split(WRITTEN, Map.of(Phase.COMMIT, 200L)))
        .containsEntry(Phase.REST, 0L);
  }

  @Test
  void onlyWhatIsCountedFromThenOnIsSplit() {
    ClientCounters reads = new ClientCounters();
    WriteCounters writes = new WriteCounters();
    reads.grantLatency.record(1_000);
    writes.commitNanos.add(1_000);
    PhaseCounters counters = new PhaseCounters(reads, writes);
    assertThat(counters.split(READ)).isEqualTo(READ);
    reads.grantLatency.record(30);
    assertThat(counters.split(READ))
        .containsEntry(Phase.MAP, 30L)
        .containsEntry(Phase.READ, 70L)
        .doesNotContainKey(Phase.COMMIT);
    assertThat(counters.split(Map.of())).isEmpty();
  }
}
