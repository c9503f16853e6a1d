// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.way;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import io.rdio.client.counters.ClientCounters;
import io.rdio.core.FallbackReason;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a process says at its end, and that it is read as it was meant. */
class ExitLineTest {
  private final ClientCounters counters = new ClientCounters();

  private String text(long fromHdfs) {
    return ExitLine.of(counters, fromHdfs).toString();
  }

  @Test
  void allByTheAgent() {
    counters.rdioBytes.add(5 << 20);
    counters.agentBytes.add(5 << 20);
    assertThat(text(5 << 20))
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
    assertThat(text(4 << 20))
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
    assertThat(text(1 << 20)).endsWith("Stock HDFS read for: DEVICE_TIMEOUT (1)");
  }

  @Test
  void noneOfIt() {
    counters.fallback(FallbackReason.DISABLED);
    assertThat(text(1536))
        .isEqualTo(
            "RDIO: 1.50 KB read from HDFS, 0 B of it by RDIO (0 %). Stock HDFS read for:"
                + " DISABLED (1)");
  }

  @Test
  void nothingWasRead() {
    assertThat(text(0)).isEqualTo("RDIO: 0 B read from HDFS, 0 B of it by RDIO (nothing)");
  }

  @Test
  void whatHadoopDidNotCountWasReadAllTheSame() {
    counters.rdioBytes.add(1 << 20);
    counters.stockBytes.add(1 << 20);
    assertThat(text(0)).startsWith("RDIO: 2 MB read").contains("(50 %)");
  }

  @Test
  void isReadBehindWhateverALogWritesBeforeIt() {
    counters.rdioBytes.add(3 << 20);
    counters.agentBytes.add(1 << 20);
    counters.fallback(FallbackReason.FIRST_READ);
    ExitLine read =
        Objects.requireNonNull(
            ExitLine.parse("2026-11-25 13:00:00,123 INFO client.ExitReport: " + text(4 << 20)));
    assertThat(read.fromHdfs()).isEqualTo(4 << 20);
    assertThat(read.byRdio()).isEqualTo(3 << 20);
    assertThat(read.byAgent()).isEqualTo(1 << 20);
    assertThat(read.reasons()).containsExactly(entry("FIRST_READ", 1L));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "RDIO: ",
        "RDIO:  read from HDFS, ",
        "RDIO: 1 MB read from HDFS, 2 MB of it by RDIO (200 %)",
        "RDIO: 2 MB read from HDFS, 1 MB of it by RDIO (50 %): 2 MB by the agent of this host, 0 B"
            + " from devices opened by this process",
        "RDIO: -1 MB read from HDFS, 0 B of it by RDIO (nothing)",
        "RDIO: 99999999999999999999 MB read from HDFS, 0 B of it by RDIO (0 %)"
      })
  void linesThatNoProcessWritesAreNone(String line) {
    assertThat(ExitLine.parse(line)).isNull();
  }

  @Test
  void sizesThatNoMachineHasAreAsMuchAsThereCanBe() {
    ExitLine read =
        Objects.requireNonNull(
            ExitLine.parse("RDIO: 9999 EB read from HDFS, 9999 EB of it by RDIO (100 %)"));
    assertThat(read.byRdio()).isEqualTo(Long.MAX_VALUE);
  }
}
