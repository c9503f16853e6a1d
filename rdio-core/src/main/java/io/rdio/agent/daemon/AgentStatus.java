// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent.daemon;

import io.rdio.client.read.ReadContext;
import io.rdio.core.FallbackReason;

/** What an agent says of itself: a figure a line, as Prometheus takes them. Thread-safe. */
final class AgentStatus {
  private final AgentCounters counters;
  private final ReadContext readContext;

  AgentStatus(AgentCounters counters, ReadContext readContext) {
    this.counters = counters;
    this.readContext = readContext;
  }

  /** All figures of now. */
  String text() {
    StringBuilder text = new StringBuilder();
    add(text, "processes", counters.processes.get());
    add(text, "lanes", counters.lanes.get());
    add(text, "segment_bytes", counters.segmentBytes.get());
    add(text, "sessions_total", counters.sessions.sum());
    add(text, "opens_total", counters.opens.sum());
    add(text, "reads_total", counters.reads.sum());
    add(text, "read_bytes_total", counters.bytes.sum());
    add(text, "mismatches_total", counters.mismatches.sum());
    add(text, "unfounded_mismatches_total", counters.unfoundedMismatches.sum());
    add(text, "malformed_total", counters.malformed.sum());
    add(text, "failures_total", counters.failures.sum());
    add(text, "map_hits_total", readContext.counters().mapHits.sum());
    add(text, "map_misses_total", readContext.counters().mapMisses.sum());
    add(text, "device_bytes_total", readContext.counters().deviceBytes.sum());
    for (FallbackReason reason : FallbackReason.values()) {
      long refused = counters.refusals(reason);
      if (refused > 0) {
        add(text, "refusals_total{reason=\"" + reason + "\"}", refused);
      }
    }
    return text.toString();
  }

  private static void add(StringBuilder text, String name, long value) {
    text.append("rdio_agent_").append(name).append(' ').append(value).append('\n');
  }
}
