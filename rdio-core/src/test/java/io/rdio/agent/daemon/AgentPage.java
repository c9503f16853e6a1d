// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent.daemon;

import io.rdio.core.FallbackReason;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.testing.ReadFixture;
import io.rdio.core.testing.TestBlock;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** All that an agent can show at {@code /metrics}, for tests of who reads it. */
public final class AgentPage {
  private AgentPage() {}

  /** The page of an agent that refused something for each reason. */
  public static String text() {
    AgentCounters counters = new AgentCounters();
    for (FallbackReason reason : FallbackReason.values()) {
      counters.refused(reason); // which is not shown before
    }
    TestBlock block = new TestBlock(1, 4096, ChecksumSpec.Type.CRC32C, 512, 4096, 4096);
    Map<String, Long> parity = new TreeMap<>();
    for (String name :
        List.of(
            "groups_without_parity",
            "parity_lag_bytes",
            "oldest_without_parity_seconds",
            "parity_blocks_lost_total",
            "parity_given_up_groups_total",
            "parity_awaited_groups_total",
            "parity_deferred_groups_total",
            "parity_deferred_milliseconds_total",
            "stripe_memory_bytes")) {
      parity.put(name, 0L);
    }
    return new AgentStatus(counters, new ReadFixture(block, 4096).context, () -> parity).text();
  }
}
