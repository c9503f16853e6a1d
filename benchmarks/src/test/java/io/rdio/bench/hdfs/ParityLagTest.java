// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.client.write.StripeLayout;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ParityLagTest {
  private static AgentFigures figures(long groups, long millis, long lost) {
    return AgentFigures.ofText(
        "# a comment\n"
            + "rdio_agent_groups_without_parity 0\n"
            + "rdio_agent_refusals_total{reason=\"FILE_SMALL\"} 3\n"
            + "rdio_agent_parity_blocks_lost_total "
            + lost
            + "\nrdio_agent_parity_deferred_groups_total "
            + groups
            + "\nrdio_agent_parity_deferred_milliseconds_total "
            + millis
            + "\n");
  }

  @Test
  void isWhatTheAgentCountedMeanwhile() throws IOException {
    ParityLag lag = ParityLag.of(figures(10, 7_000, 1), figures(14, 9_000, 1), 0.25);
    assertThat(lag).isEqualTo(new ParityLag(4, 2, 0.25, 0));
    assertThat(lag.meanGroupSeconds()).isEqualTo(0.5);
    assertThat(lag.knownAfter(3)).isEqualTo(new ParityLag(4, 2, 0.25, 3));
    assertThat(lag.plus(new ParityLag(1, 1, 1, 1))).isEqualTo(new ParityLag(5, 3, 1.25, 1));
    assertThat(ParityLag.NONE.meanGroupSeconds()).isNaN();
  }

  @Test
  void aPassWhoseParityWasGivenUpIsNone() {
    assertThatThrownBy(() -> ParityLag.of(figures(0, 0, 1), figures(2, 10, 3), 0))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("2 blocks of deferred parity were not written");
  }

  @Test
  void aFigureThatIsNotThereIsNamed() {
    assertThatThrownBy(() -> figures(0, 0, 0).get("parity"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("no figure parity");
  }

  @ParameterizedTest
  @CsvSource({"1, 4", "1048576, 4", "1048577, 5", "6291456, 9", "100000000, 9"})
  void blocksWithoutBytesAreNotThere(long groupBytes, int blocks) {
    StripeLayout layout = new StripeLayout(6, 3, 1 << 20);
    assertThat(CodedFiles.blocks(layout, groupBytes)).isEqualTo(blocks);
  }
}
