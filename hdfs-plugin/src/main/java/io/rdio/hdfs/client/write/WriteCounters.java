// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.write;

import io.rdio.core.FallbackReason;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;

/** What became of new files, counted. Thread-safe. */
public final class WriteCounters {
  /** Of all file systems of this JVM. */
  public static final WriteCounters OF_THIS_JVM = new WriteCounters();

  /** Bytes of committed blocks, once for all their replicas. */
  public final LongAdder bytes = new LongAdder();

  public final LongAdder blocks = new LongAdder();

  /** Replicas that committed blocks lack at first: the NameNode has them made. */
  public final LongAdder missedReplicas = new LongAdder();

  /** Blocks that could not be committed: their streams failed. */
  public final LongAdder lostBlocks = new LongAdder();

  /**
   * Time in which blocks were begun at all their targets, were handed over, and were ended, in
   * nanoseconds. A full block is ended while the next one's first bytes are taken.
   */
  public final LongAdder allocateNanos = new LongAdder();

  public final LongAdder handOverNanos = new LongAdder();

  public final LongAdder commitNanos = new LongAdder();

  private final Map<FallbackReason, LongAdder> fallbacks = new EnumMap<>(FallbackReason.class);

  /** All are 0. */
  public WriteCounters() {
    for (FallbackReason reason : FallbackReason.values()) {
      fallbacks.put(reason, new LongAdder());
    }
  }

  /** Counts one file that stock HDFS writes, or writes from some block on. */
  void fallback(FallbackReason reason) {
    adder(reason).increment();
  }

  /** How many files stock HDFS wrote for this reason, wholly or from some block on. */
  public long fallbacks(FallbackReason reason) {
    return adder(reason).sum();
  }

  private LongAdder adder(FallbackReason reason) {
    return Objects.requireNonNull(fallbacks.get(reason));
  }
}
