// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.client.counters.ClientCounters;
import io.rdio.core.FallbackReason;
import org.junit.jupiter.api.Test;

/** What a process says at its end. */
class ExitReportTest {
  private final ClientCounters counters = new ClientCounters();

  @Test
  void allByTheAgent() {
    counters.rdioBytes.add(5 << 20);
    counters.agentBytes.add(5 << 20);
    assertThat(ExitReport.text(counters, 5 << 20))
        .isEqualTo(
            "RDIO: 5 MB read from HDFS, 5 MB of it by RDIO (100 %): 5 MB by the agent of this host,"
                + " 0 B from devices opened by this process");
  }

  @Test
  void someOfItWithTheReasonsThatWereMetMostFirst() {
    counters.rdioBytes.add(3 << 20);
    counters.agentBytes.add(1 << 20);
    counters.fallback(FallbackReason.FIRST_READ);
    counters.fallback(FallbackReason.LEASE_LIMIT);
    counters.fallback(FallbackReason.LEASE_LIMIT);
    assertThat(ExitReport.text(counters, 4 << 20))
        .isEqualTo(
            "RDIO: 4 MB read from HDFS, 3 MB of it by RDIO (75 %): 1 MB by the agent of this host,"
                + " 2 MB from devices opened by this process."
                + " Stock HDFS read for: LEASE_LIMIT (2), FIRST_READ (1)");
  }

  @Test
  void whatAnotherWayByRdioWentOnWithWasNotReadByStockHdfs() {
    counters.rdioBytes.add(1 << 20);
    for (int i = 0; i < 3; i++) {
      counters.fallback(FallbackReason.AGENT_BUSY);
      counters.toNextWay(FallbackReason.AGENT_BUSY);
    }
    counters.fallback(FallbackReason.DEVICE_TIMEOUT);
    counters.fallback(FallbackReason.DEVICE_TIMEOUT);
    counters.toNextWay(FallbackReason.DEVICE_TIMEOUT);
    assertThat(ExitReport.text(counters, 1 << 20))
        .endsWith("Stock HDFS read for: DEVICE_TIMEOUT (1)");
  }

  @Test
  void noneOfIt() {
    counters.fallback(FallbackReason.DISABLED);
    assertThat(ExitReport.text(counters, 1536))
        .isEqualTo(
            "RDIO: 1.5 KB read from HDFS, 0 B of it by RDIO (0 %). Stock HDFS read for:"
                + " DISABLED (1)");
  }

  @Test
  void nothingWasRead() {
    assertThat(ExitReport.text(counters, 0))
        .isEqualTo("RDIO: 0 B read from HDFS, 0 B of it by RDIO (nothing)");
  }

  @Test
  void whatHadoopDidNotCountWasReadAllTheSame() {
    counters.rdioBytes.add(1 << 20);
    counters.stockBytes.add(1 << 20);
    assertThat(ExitReport.text(counters, 0)).startsWith("RDIO: 2 MB read").contains("(50 %)");
  }
}
