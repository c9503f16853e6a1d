// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent.daemon;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;

/** How many blocks are being written, and how much memory their CRCs take. Thread-safe. */
final class WritePermits {
  private final AgentLimits.Writes limits;
  private final AgentCounters counters;

  WritePermits(AgentLimits.Writes limits, AgentCounters counters) {
    this.limits = limits;
    this.counters = counters;
  }

  /** For one block of a process, until it is closed; for one thread at a time. */
  final class Permit implements AutoCloseable {
    private final ClientProcess process;
    private final int checksumBytes;
    private boolean closed;

    private Permit(ClientProcess process, int checksumBytes) {
      this.process = process;
      this.checksumBytes = checksumBytes;
    }

    /** Idempotent. */
    @Override
    public void close() {
      if (!closed) {
        closed = true;
        process.endWrite();
        give(checksumBytes);
      }
    }
  }

  /**
   * Lets a process write one more block.
   *
   * @throws FallbackException AGENT_BUSY
   */
  Permit take(ClientProcess process, int checksumBytes) throws FallbackException {
    count(checksumBytes);
    boolean good = false;
    try {
      process.beginWrite(limits.perProcess());
      good = true;
      return new Permit(process, checksumBytes);
    } finally {
      if (!good) {
        give(checksumBytes);
      }
    }
  }

  private synchronized void count(int checksumBytes) throws FallbackException {
    int open = counters.openWrites.get();
    long bytes = counters.checksumBytes.get();
    if (open >= limits.all() || bytes + checksumBytes > limits.checksumBytes()) {
      throw new FallbackException(
          FallbackReason.AGENT_BUSY,
          open
              + " of "
              + limits.all()
              + " blocks are being written, with CRCs of "
              + bytes
              + " of "
              + limits.checksumBytes()
              + " bytes");
    }
    counters.openWrites.incrementAndGet();
    counters.checksumBytes.addAndGet(checksumBytes);
  }

  private synchronized void give(int checksumBytes) {
    counters.openWrites.decrementAndGet();
    counters.checksumBytes.addAndGet(-checksumBytes);
  }
}
