// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent.daemon;

import io.rdio.core.FallbackReason;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/** What the agent did, counted since its start, and what it has at present. Thread-safe. */
public final class AgentCounters {
  /** Connections that came, lanes or not. */
  final LongAdder accepted = new LongAdder();

  /** Conversations begun: processes that came. */
  public final LongAdder sessions = new LongAdder();

  /** READs answered, and the bytes of blocks in them. */
  public final LongAdder reads = new LongAdder();

  public final LongAdder bytes = new LongAdder();

  /** Blocks opened. */
  public final LongAdder opens = new LongAdder();

  /** Blocks committed, and bytes written of blocks, each once for all of its replicas. */
  public final LongAdder blocksWritten = new LongAdder();

  public final LongAdder writtenBytes = new LongAdder();

  /** ALLOCATEs, WRITEs and COMMITs refused. */
  public final LongAdder writesRefused = new LongAdder();

  /** Replicas that were lost of blocks that were committed. */
  public final LongAdder replicasLost = new LongAdder();

  /** Chunks that a client found wrong, and of these the ones that the agent did not. */
  public final LongAdder mismatches = new LongAdder();

  public final LongAdder unfoundedMismatches = new LongAdder();

  /** Huge pages that processes' memory was put into, and how often that was not to be had. */
  final LongAdder hugePages = new LongAdder();

  final LongAdder hugePagesRefused = new LongAdder();

  /** Conversations that the agent ended because the other end broke the protocol. */
  public final LongAdder malformed = new LongAdder();

  /** Failures of the agent's own loops. */
  public final LongAdder failures = new LongAdder();

  /** At present. */
  public final AtomicInteger processes = new AtomicInteger();

  public final AtomicInteger lanes = new AtomicInteger();
  public final AtomicLong segmentBytes = new AtomicLong();
  public final AtomicInteger openWrites = new AtomicInteger();

  /** Memory for the CRCs of blocks that are being written. */
  public final AtomicLong checksumBytes = new AtomicLong();

  private final ConcurrentHashMap<FallbackReason, LongAdder> refusals = new ConcurrentHashMap<>();

  /** Counts a refusal. */
  void refused(FallbackReason reason) {
    refusals.computeIfAbsent(reason, first -> new LongAdder()).increment();
  }

  /** How often something was refused for a reason. */
  public long refusals(FallbackReason reason) {
    LongAdder count = refusals.get(reason);
    return count == null ? 0 : count.sum();
  }
}
