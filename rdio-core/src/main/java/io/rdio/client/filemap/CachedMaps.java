// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.filemap;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.RemovalCause;
import io.rdio.client.plane.ChunkCrcs;
import io.rdio.client.plane.FileMap;
import io.rdio.core.block.BlockKey;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The maps of the FileMap cache by block, within a bound of heap. Thread-safe; lookups take no lock
 * and allocate nothing.
 *
 * <p>Nothing expires here, which would cost each entry its place in a timer wheel: the thread that
 * renews leases sees which ones ran out, and removes their maps.
 */
public final class CachedMaps {
  /** Of the bound, so that CRCs never push out most of the maps. */
  private static final int CRC_SHARE = 2;

  /** Caffeine's entry, its hash table's, and slots there and in the metadata client's table. */
  private static final int ENTRY_BYTES = 48 + 32 + 14;

  private final Cache<BlockKey, FileMap> cache;
  private final long maxCrcBytes;
  private final Consumer<FileMap> removed;
  private final AtomicLong crcBytes = new AtomicLong();

  /**
   * @param maxBytes heap that maps and their CRCs may take
   * @param removed told once of each map that leaves, for whatever reason, by the thread that
   *     caused it; must not block
   */
  public CachedMaps(long maxBytes, Consumer<FileMap> removed) {
    this.maxCrcBytes = maxBytes / CRC_SHARE;
    this.removed = removed;
    this.cache =
        Caffeine.newBuilder()
            .maximumWeight(maxBytes)
            .weigher((BlockKey block, FileMap map) -> weight(map))
            .executor(Runnable::run)
            .removalListener(
                (@Nullable BlockKey block, @Nullable FileMap map, RemovalCause cause) -> gone(map))
            .build();
  }

  /** The map of a block, whatever its lease says; null if there is none. */
  public @Nullable FileMap find(BlockKey block) {
    return cache.getIfPresent(block);
  }

  /** Whether there is a map of a block, without counting as a use of it. */
  @Nullable FileMap peek(BlockKey block) {
    return cache.policy().getIfPresentQuietly(block);
  }

  /** Adds a map in place of the block's present one; others leave if there is no room. */
  public void add(FileMap map) {
    cache.put(map.block(), map);
  }

  /** Takes out this very map, if it is here. */
  void remove(FileMap map) {
    cache.asMap().remove(map.block(), map);
  }

  private void gone(@Nullable FileMap map) {
    if (map != null) {
      crcBytes.addAndGet(-map.dropCrcs());
      removed.accept(map);
    }
  }

  private static int weight(FileMap map) {
    return ENTRY_BYTES + map.heapBytes();
  }

  /** Keeps CRCs with a map, if there is room for them. */
  void keepCrcs(FileMap map, int page, int pages, ByteBuffer from, int at, int length) {
    int bytes = ChunkCrcs.heapBytes(length);
    if (crcBytes.addAndGet(bytes) <= maxCrcBytes && map.keepCrcs(page, pages, from, at, length)) {
      // Has Caffeine weigh it again.
      cache.asMap().computeIfPresent(map.block(), (block, present) -> present);
    } else {
      crcBytes.addAndGet(-bytes);
    }
  }

  /** Does what Caffeine has put off. */
  public void cleanUp() {
    cache.cleanUp();
  }

  void clear() {
    cache.invalidateAll();
  }

  /** Maps that are here, about. */
  public long size() {
    return cache.estimatedSize();
  }

  /** Heap that the maps and their CRCs take, in bytes. */
  public long bytes() {
    return cache.policy().eviction().orElseThrow().weightedSize().orElse(0);
  }

  /** Heap that the CRCs take, in bytes. */
  long crcBytes() {
    return crcBytes.get();
  }
}
