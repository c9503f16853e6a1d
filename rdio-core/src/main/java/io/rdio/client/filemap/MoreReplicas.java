// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.filemap;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.rdio.client.plane.FileMap;
import io.rdio.core.FallbackException;
import io.rdio.core.block.BlockKey;
import io.rdio.core.block.BlockRequest;
import io.rdio.core.time.MonotonicClock;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has the maps of a block's other replicas loaded behind the first, in the background. Each block
 * is asked for once in a back-off, and once more for each map that was rejected: a replica that
 * could not be had will not be there in a moment. Thread-safe.
 */
final class MoreReplicas {
  private static final Logger LOG = LoggerFactory.getLogger(MoreReplicas.class);

  private static final int MAX_BLOCKS = 10_000;

  private final CachedMaps cached;
  private final FileMapLoader loader;
  private final Executor background;
  private final Cache<BlockKey, Boolean> asked;

  MoreReplicas(
      CachedMaps cached,
      FileMapLoader loader,
      Executor background,
      FileMapSettings settings,
      MonotonicClock clock) {
    this.cached = cached;
    this.loader = loader;
    this.background = background;
    this.asked =
        Caffeine.newBuilder()
            .maximumSize(MAX_BLOCKS)
            .ticker(clock::nanos)
            .executor(Runnable::run)
            .expireAfterWrite(settings.backOff())
            .build();
  }

  /** Begins to load what is missing, unless that was tried a moment ago. Never fails. */
  void begin(BlockRequest request) {
    if (asked.getIfPresent(request.block()) != null
        || asked.asMap().putIfAbsent(request.block(), true) != null) {
      return;
    }
    try {
      background.execute(() -> load(request));
    } catch (RejectedExecutionException e) {
      asked.invalidate(request.block()); // too many loads are under way; the next read asks again
    } catch (RuntimeException | Error e) {
      LOG.warn("RDIO: no more replicas of {} for now", request.block(), e);
    }
  }

  /** One of them turned out to be of no use: another one is worth asking for at once. */
  void askAnew(BlockKey block) {
    asked.invalidate(block);
  }

  private void load(BlockRequest request) {
    try {
      Set<String> held = held(request.block());
      loader.loadMore(request, held, cached.places() - held.size());
    } catch (FallbackException e) {
      LOG.debug("RDIO: no more replicas of {}", request.block(), e);
    } catch (RuntimeException | Error e) {
      LOG.warn("RDIO: no more replicas of {} for now", request.block(), e);
    }
  }

  private Set<String> held(BlockKey block) {
    Set<String> held = new HashSet<>();
    for (int place = 0; place < cached.places(); place++) {
      FileMap map = cached.peek(block, place);
      if (map != null) {
        held.add(map.storageId());
      }
    }
    return held;
  }
}
