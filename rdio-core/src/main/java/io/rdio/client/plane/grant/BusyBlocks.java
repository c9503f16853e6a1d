// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.grant;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackPolicy;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockKey;
import io.rdio.core.time.BackOff;
import io.rdio.core.time.MonotonicClock;
import io.rdio.core.wire.RetryAfter;
import java.time.Duration;
import java.util.function.DoubleSupplier;

/**
 * The blocks that a DataNode was too busy to grant, each with a back-off of its own. The DataNode
 * is in order: other blocks are asked for as ever. Thread-safe.
 */
final class BusyBlocks {
  private static final int MAX_ENTRIES = 10_000;
  private static final Duration FIRST_PAUSE = Duration.ofMillis(50);

  private final Cache<Key, BackOff> pauses;
  private final Duration longest;
  private final MonotonicClock clock;
  private final DoubleSupplier random;

  private record Key(String endpoint, BlockKey block) {}

  /**
   * @param longest pause for one block, beyond what the DataNode asks for
   */
  BusyBlocks(Duration longest, MonotonicClock clock, DoubleSupplier random) {
    this.longest = longest;
    this.clock = clock;
    this.random = random;
    this.pauses =
        Caffeine.newBuilder()
            .maximumSize(MAX_ENTRIES)
            .ticker(clock::nanos)
            .executor(Runnable::run)
            // So that what was busy long ago begins with short pauses again.
            .expireAfterAccess(longest.multipliedBy(2).plusSeconds(10))
            .build();
  }

  /** Refuses with DATANODE_BUSY while a block is not to be asked for. */
  void check(String endpoint, BlockKey block) throws FallbackException {
    BackOff pause = pauses.getIfPresent(new Key(endpoint, block));
    long left = pause == null ? 0 : pause.leftNanos();
    if (left > 0) {
      throw new FallbackException(
          FallbackReason.DATANODE_BUSY,
          endpoint + " is asked for " + block + " again in " + left / 1_000_000 + " ms");
    }
  }

  /** Notes the DataNode's answer to a request for a block, if it is that it is too busy. */
  void refused(String endpoint, BlockKey block, FallbackException refusal) {
    FallbackPolicy policy = refusal.reason().policy();
    if (policy.scope() == FallbackPolicy.Scope.BLOCK
        && policy.memory() == FallbackPolicy.Memory.BACK_OFF) {
      pauses
          .get(new Key(endpoint, block), key -> new BackOff(FIRST_PAUSE, longest, clock, random))
          .failed(RetryAfter.nanos(refusal.getCause()));
    }
  }

  /** The DataNode answered for this block. */
  void answered(String endpoint, BlockKey block) {
    if (pauses.estimatedSize() > 0) {
      pauses.invalidate(new Key(endpoint, block));
    }
  }
}
