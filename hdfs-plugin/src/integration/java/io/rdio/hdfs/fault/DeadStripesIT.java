// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.core.testing.Requirements;
import io.rdio.hdfs.client.direct.RdioClientContext;
import io.rdio.hdfs.it.RdioClient;
import io.rdio.hdfs.it.ReadMode;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Erasure-coded files are read as they are, without decoding, however many of their DataNodes are
 * dead: where stock HDFS decodes, and beyond the parity where it fails.
 */
@Tag("loop")
class DeadStripesIT {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @BeforeEach
  void requireLoop() throws IOException {
    Requirements.requireLoop("ext4");
  }

  private static long mapsByDevice() {
    return RdioClientContext.counters().mapsByDevice.sum();
  }

  /** The NameNode goes on listing the dead for ten minutes. */
  @ParameterizedTest
  @ValueSource(strings = {"RS-3-2-1024k", "RS-6-3-1024k"})
  void listedDataNodesMayBeDead(String policy) throws Exception {
    try (Stripes stripes = new Stripes(policy);
        RdioClient direct = stripes.client(ReadMode.DIRECT);
        RdioClient byAgent = stripes.client(ReadMode.BY_AGENT)) {
      for (RdioClient warm : List.of(direct, byAgent)) {
        Awaitility.await().atMost(PATIENCE).untilAsserted(() -> stripes.assertReadAsIs(warm));
      }
      int parity = stripes.policy.getNumParityUnits();
      for (int dead : new int[] {1, parity, parity + 1, stripes.size()}) {
        stripes.killUntil(dead);
        if (dead <= parity) {
          assertThat(stripes.decodedByStock()).as("%d dead", dead).isPositive();
        } else {
          assertThatThrownBy(stripes::decodedByStock).isInstanceOf(IOException.class);
        }
        long before = mapsByDevice();
        for (RdioClient warm : List.of(direct, byAgent)) {
          stripes.assertReadAsIs(warm);
        }
        Awaitility.await("leases run out")
            .atMost(PATIENCE)
            .untilAsserted(
                () -> {
                  stripes.assertReadAsIs(direct);
                  stripes.assertReadAsIs(byAgent);
                  assertThat(mapsByDevice() - before).isPositive();
                });
        assertReadCold(stripes);
      }
    }
  }

  private static void assertReadCold(Stripes stripes) throws IOException {
    int blocks = stripes.deadDataBlocks();
    assertThat(blocks).isPositive();
    for (ReadMode mode : ReadMode.values()) {
      long before = mapsByDevice();
      try (RdioClient cold = stripes.client(mode)) {
        stripes.assertReadAsIs(cold);
      }
      assertThat(mapsByDevice() - before)
          .as("maps of what the dead have")
          .isGreaterThanOrEqualTo(blocks);
    }
  }
}
