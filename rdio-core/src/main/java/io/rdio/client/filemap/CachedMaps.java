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
 * The maps of the FileMap cache by block, within a bound of heap: one of each, or as many as there
 * are places, each of another replica. Thread-safe; lookups take no lock, and in the first place
 * allocate nothing.
 *
 * <p>Nothing expires here, which would cost each entry its place in a timer wheel: the thread that
 * renews leases sees which ones ran out, and removes their maps.
 */
public final class CachedMaps {
  /** Of the bound, so that CRCs never push out most of the maps. */
  private static final int CRC_SHARE = 2;

  /** Caffeine's entry, its hash table's, and slots there and in the metadata client's table. */
  private static final int ENTRY_BYTES = 48 + 32 + 14;

  private final Cache<Object, FileMap> cache;
  private final int places;
  private final long maxCrcBytes;
  private final Consumer<FileMap> removed;
  private final AtomicLong crcBytes = new AtomicLong();

  /** The key of what is not in the first place, whose key is the block's. */
  private record Place(BlockKey block, int number) {}

  /** One map of each block. */
  public CachedMaps(long maxBytes, Consumer<FileMap> removed) {
    this(maxBytes, 1, removed);
  }

  /**
   * @param maxBytes heap that maps and their CRCs may take
   * @param places maps of each block, at most
   * @param removed told once of each map that leaves, for whatever reason, by the thread that
   *     caused it; must not block
   */
  CachedMaps(long maxBytes, int places, Consumer<FileMap> removed) {
    this.places = places;
    this.maxCrcBytes = maxBytes / CRC_SHARE;
    this.removed = removed;
    this.cache =
        Caffeine.newBuilder()
            .maximumWeight(maxBytes)
            .weigher((Object key, FileMap map) -> weight(map))
            .executor(Runnable::run)
            .removalListener(
                (@Nullable Object key, @Nullable FileMap map, RemovalCause cause) -> gone(map))
            .build();
  }

  private static Object key(BlockKey block, int place) {
    return place == 0 ? block : new Place(block, place);
  }

  /** How many maps of one block there may be. */
  int places() {
    return places;
  }

  /** The map of a block in the first place, whatever its lease says; null if there is none. */
  public @Nullable FileMap find(BlockKey block) {
    return find(block, 0);
  }

  /** The same in any place. */
  @Nullable FileMap find(BlockKey block, int place) {
    return cache.getIfPresent(key(block, place));
  }

  /** Whether there is a map of a block in a place, without counting as a use of it. */
  @Nullable FileMap peek(BlockKey block, int place) {
    return cache.policy().getIfPresentQuietly(key(block, place));
  }

  /**
   * Adds a map in place of that of the same replica, or else in a place that is free, or else in
   * the first place; others leave if there is no room.
   */
  public void add(FileMap map) {
    cache.put(key(map.block(), placeFor(map)), map);
  }

  private int placeFor(FileMap map) {
    int free = 0;
    for (int place = places - 1; place >= 0; place--) {
      FileMap present = places == 1 ? null : peek(map.block(), place);
      if (present == null) {
        free = place;
      } else if (present.storageId().equals(map.storageId())) {
        return place;
      }
    }
    return free;
  }

  /** Takes out this very map, if it is here. */
  void remove(FileMap map) {
    for (int place = 0; place < places; place++) {
      cache.asMap().remove(key(map.block(), place), map);
    }
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
      for (int place = 0; place < places; place++) {
        cache.asMap().computeIfPresent(key(map.block(), place), (key, present) -> present);
      }
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
