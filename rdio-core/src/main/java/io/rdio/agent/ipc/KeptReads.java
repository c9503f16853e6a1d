// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent.ipc;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Where a reader keeps what it has read ahead. It is not the reader's alone: under pressure anybody
 * may take it out, so readers that pause, and readers that were never closed, drain nobody. Safe
 * for any number of threads.
 */
final class KeptReads {
  private final AtomicReference<@Nullable LaneReads> slot = new AtomicReference<>();

  /** What is kept, from now on the caller's; null if nothing is. */
  @Nullable LaneReads take() {
    return slot.get() == null ? null : slot.getAndSet(null);
  }

  /** Keeps it, unless something is kept already; whether it is kept. */
  boolean put(LaneReads reads) {
    AgentSession session = reads.lane().session();
    if (!slot.compareAndSet(null, reads)) {
      return false;
    }
    session.keeps(this);
    return true;
  }

  boolean isEmpty() {
    return slot.get() == null;
  }
}
