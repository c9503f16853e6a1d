// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.device;

import io.rdio.client.plane.DataNodeId;
import io.rdio.core.time.MonotonicClock;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Which DataNodes did not answer when they were asked last, up to an hour ago: one that nobody asks
 * any more is not silent for ever. As many as the cluster has, at most. Thread-safe.
 */
final class SilentDataNodes {
  static final Duration MEMORY = Duration.ofHours(1);

  private final MonotonicClock clock;
  private final ConcurrentHashMap<DataNodeId, Long> askedAt = new ConcurrentHashMap<>();

  SilentDataNodes(MonotonicClock clock) {
    this.clock = clock;
  }

  void wasSilent(DataNodeId dataNode) {
    askedAt.put(dataNode, clock.nanos());
  }

  void answered(DataNodeId dataNode) {
    askedAt.remove(dataNode);
  }

  /** Whether there is any. */
  boolean areThere() {
    if (!askedAt.isEmpty()) {
      long now = clock.nanos();
      askedAt.values().removeIf(at -> now - at >= MEMORY.toNanos());
    }
    return !askedAt.isEmpty();
  }
}
