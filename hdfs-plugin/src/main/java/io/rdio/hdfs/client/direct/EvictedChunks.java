// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.direct;

import io.rdio.client.datacache.BlockDataCache;
import io.rdio.client.plane.FileMap;
import io.rdio.core.block.BlockKey;
import io.rdio.core.counters.EvictionCounters;
import io.rdio.core.time.MonotonicClock;
import io.rdio.exclusive.eviction.DataCacheAgent;
import io.rdio.exclusive.eviction.ExtentEvictions;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Chunks that the block data cache evicts, by the extents of their blocks. Thread-safe. */
final class EvictedChunks implements ExtentEvictions {
  private final BlockDataCache cache;
  private final Function<BlockKey, @Nullable FileMap> maps;

  /**
   * Begins to tell storage nodes of what a client's cache evicts. Here, so that a client that tells
   * nobody loads nothing of it.
   *
   * @param maps the block's map if it is at hand; never asks anybody for it
   * @param clock the one that leases run on
   * @param storages HOST:PORT of each PrefCache
   * @return ends it
   */
  static Runnable tell(
      BlockDataCache cache,
      Function<BlockKey, @Nullable FileMap> maps,
      MonotonicClock clock,
      List<String> storages,
      EvictionCounters counters) {
    return DataCacheAgent.start(new EvictedChunks(cache, maps), clock, storages, counters)::close;
  }

  /**
   * @param maps the block's map if it is at hand; never asks anybody for it
   */
  EvictedChunks(BlockDataCache cache, Function<BlockKey, @Nullable FileMap> maps) {
    this.cache = cache;
    this.maps = maps;
  }

  @Override
  public Subscription listen(Listener listener) {
    BlockDataCache.EvictionListener ofCache =
        (block, offset, length) -> {
          FileMap map = maps.apply(block);
          if (map != null) {
            listener.evicted(map.device(), map.blockExtents(), map.guard(), offset, length);
          }
        };
    cache.addEvictionListener(ofCache);
    return () -> cache.removeEvictionListener(ofCache);
  }
}
