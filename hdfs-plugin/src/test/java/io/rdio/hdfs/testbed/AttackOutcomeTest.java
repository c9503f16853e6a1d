// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.testbed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.Test;

class AttackOutcomeTest {
  @Test
  void theAttackedHostsLineIsUnderstood() throws IOException {
    AttackOutcome outcome =
        AttackOutcome.parse("read 600 20 1 590 7 LEASE_EXPIRED=7 REPLICA_NOT_FOUND=3");

    assertThat(outcome)
        .isEqualTo(
            new AttackOutcome(
                600, 20, 1, 590, 7, Map.of("LEASE_EXPIRED", 7L, "REPLICA_NOT_FOUND", 3L)));
    assertThat(outcome.line())
        .isEqualTo(
            "600 pages by 20 maps, 1 foreign; 590 looks, files changed 7 times;"
                + " refused: {LEASE_EXPIRED=7, REPLICA_NOT_FOUND=3}");
    assertThat(AttackOutcome.parse("read 1 2 3 4 5").refusals()).isEmpty();
  }

  @Test
  void aHostThatFailedIsQuoted() {
    assertThatThrownBy(() -> AttackOutcome.parse("failed java.io.IOException: gone"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("java.io.IOException: gone");
  }
}
