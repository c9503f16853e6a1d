// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.FallbackReason;
import io.rdio.core.counters.ClientCounters;
import io.rdio.hdfs.client.RdioClientContext;
import java.util.EnumMap;
import java.util.Map;

/** What RDIO counted in this JVM since this was made. */
final class Counts {
  private final ClientCounters counters;
  private final Map<FallbackReason, Long> before = new EnumMap<>(FallbackReason.class);

  private final long stockBytesBefore;

  private Counts(ClientCounters counters) {
    this.counters = counters;
    this.stockBytesBefore = counters.stockBytes.sum();
    for (FallbackReason reason : FallbackReason.values()) {
      before.put(reason, counters.fallbacks(reason));
    }
  }

  static Counts now() {
    return new Counts(RdioClientContext.counters());
  }

  long rdioBytes() {
    return counters.rdioBytes.sum();
  }

  /** How often this reason was counted since. */
  long fallbacks(FallbackReason reason) {
    return counters.fallbacks(reason) - before.get(reason);
  }

  /** Reasons counted since, with their counts. */
  Map<FallbackReason, Long> fallbacks() {
    Map<FallbackReason, Long> counted = new EnumMap<>(FallbackReason.class);
    for (FallbackReason reason : FallbackReason.values()) {
      if (fallbacks(reason) > 0) {
        counted.put(reason, fallbacks(reason));
      }
    }
    return counted;
  }

  void assertNoFallback() {
    assertThat(fallbacks()).isEmpty();
    assertThat(counters.stockBytes.sum()).isEqualTo(stockBytesBefore);
  }
}
