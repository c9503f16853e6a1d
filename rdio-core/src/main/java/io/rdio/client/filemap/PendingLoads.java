// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.filemap;

import io.rdio.client.plane.FileMap;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockKey;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The blocks whose maps are being loaded, so that each is loaded once however many readers wait.
 * Thread-safe.
 */
final class PendingLoads {
  private final ConcurrentHashMap<BlockKey, Load> loads = new ConcurrentHashMap<>();

  /** Takes a load upon the caller, who must end it; null if somebody else did before. */
  @Nullable Load begin(BlockKey block) {
    Load mine = new Load(block);
    return loads.putIfAbsent(block, mine) == null ? mine : null;
  }

  /** The load of a block that is under way, if there is one. */
  @Nullable Load find(BlockKey block) {
    return loads.get(block);
  }

  /** One load. Its outcome is set once and final. */
  final class Load implements FileMapSource.Load {
    private final BlockKey block;
    private final CountDownLatch done = new CountDownLatch(1);
    private @Nullable FileMap map;
    private @Nullable FallbackException refusal;

    private Load(BlockKey block) {
      this.block = block;
    }

    @Override
    public boolean isDone() {
      return done.getCount() == 0;
    }

    void granted(FileMap granted) {
      map = granted;
      end();
    }

    void refused(FallbackException refused) {
      refusal = refused;
      end();
    }

    /** Ends it without an outcome: whoever waits must ask by itself. */
    void abandon() {
      end();
    }

    private void end() {
      loads.remove(block, this);
      done.countDown();
    }

    /**
     * Waits for the outcome.
     *
     * @return null if the load was abandoned
     * @throws FallbackException as the load was refused, or METADATA_PLANE_UNREACHABLE when it
     *     takes too long, or INTERRUPTED
     */
    @Nullable FileMap await(Duration limit) throws FallbackException {
      try {
        if (!done.await(limit.toNanos(), TimeUnit.NANOSECONDS)) {
          throw new FallbackException(
              FallbackReason.METADATA_PLANE_UNREACHABLE,
              "another reader has waited over " + limit.toMillis() + " ms for the map of " + block);
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new FallbackException(FallbackReason.INTERRUPTED, "waiting for the map of " + block);
      }
      if (refusal != null) {
        throw refusal;
      }
      return map;
    }
  }
}
