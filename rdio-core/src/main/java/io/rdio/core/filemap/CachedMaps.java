// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.filemap;

import io.rdio.core.block.BlockKey;
import io.rdio.core.block.ChunkCrcs;
import io.rdio.core.block.FileMap;
import io.rdio.core.table.SlotTable;
import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.Iterator;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The maps of the FileMap cache by block, within a bound of heap. Thread-safe; lookups take no lock
 * and allocate nothing.
 *
 * <p>A general cache keeps, for each entry, a table node, an entry of its eviction policy and a
 * place in its expiry queue: more than a map itself. Here a map takes a slot. Leases say how long
 * maps stay and when they were used: nearly all leave because they were not used for a term, and
 * when there is no room for so many, of a few maps the one that was used longest ago leaves.
 */
public final class CachedMaps {
  private static final int SEGMENT_BITS = 6;

  /** From so many the one to evict is chosen: more gain little over least recently used of all. */
  private static final int SAMPLE = 16;

  /** Slots of a map: in the table here, and in the metadata client's table of leases. */
  private static final int SLOT_BYTES = 2 * 6;

  /** Of the bound, so that CRCs never push out most of the maps. */
  private static final int CRC_SHARE = 2;

  private final long maxBytes;
  private final Consumer<FileMap> removed;
  private final SlotTable<BlockKey, FileMap> table = new SlotTable<>(FileMap::block, SEGMENT_BITS);
  private final AtomicLong mapBytes = new AtomicLong();
  private final AtomicLong crcBytes = new AtomicLong();
  private final Object eviction = new Object();
  private Iterator<FileMap> hand = Collections.emptyIterator(); // guarded by eviction

  /**
   * @param maxBytes heap that maps and their CRCs may take
   * @param removed told once of each map that leaves, for whatever reason, by the thread that
   *     caused it
   */
  public CachedMaps(long maxBytes, Consumer<FileMap> removed) {
    this.maxBytes = maxBytes;
    this.removed = removed;
  }

  /** The map of a block, whatever its lease says; null if there is none. */
  public @Nullable FileMap find(BlockKey block) {
    return table.find(block);
  }

  /** Adds a map in place of the block's present one, and evicts others if there is no room. */
  public void add(FileMap map) {
    mapBytes.addAndGet(weight(map));
    FileMap before = table.put(map);
    if (before != null) {
      gone(before);
    }
    evict();
  }

  /** Takes out this very map, if it is here. */
  void remove(FileMap map) {
    if (table.remove(map)) {
      gone(map);
    }
  }

  private void gone(FileMap map) {
    mapBytes.addAndGet(-weight(map));
    crcBytes.addAndGet(-map.dropCrcs());
    removed.accept(map);
  }

  private static int weight(FileMap map) {
    return SLOT_BYTES + map.heapBytes();
  }

  /** Keeps CRCs with a map, if there is room for them. */
  void keepCrcs(FileMap map, int page, int pages, ByteBuffer from, int at, int length) {
    int bytes = ChunkCrcs.heapBytes(length);
    if (crcBytes.addAndGet(bytes) <= maxBytes / CRC_SHARE
        && map.keepCrcs(page, pages, from, at, length)) {
      evict();
    } else {
      crcBytes.addAndGet(-bytes);
    }
  }

  private void evict() {
    if (bytes() <= maxBytes) {
      return;
    }
    synchronized (eviction) {
      FileMap coldest = coldest();
      while (coldest != null && bytes() > maxBytes) {
        remove(coldest);
        coldest = coldest();
      }
    }
  }

  private @Nullable FileMap coldest() {
    FileMap coldest = null;
    for (int i = 0; i < SAMPLE; i++) {
      if (!hand.hasNext()) {
        hand = table.iterator();
      }
      FileMap map = hand.hasNext() ? hand.next() : null;
      if (coldest == null
          || (map != null && map.lease().lastUsedNanos() - coldest.lease().lastUsedNanos() < 0)) {
        coldest = map;
      }
    }
    return coldest;
  }

  void clear() {
    table.forEach(this::remove);
  }

  /** Maps that are here. */
  public int size() {
    return table.size();
  }

  /** Heap that the maps and their CRCs take, in bytes. */
  public long bytes() {
    return mapBytes.get() + crcBytes.get();
  }

  /** Heap that the CRCs take, in bytes. */
  long crcBytes() {
    return crcBytes.get();
  }
}
