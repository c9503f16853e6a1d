// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.block;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The CRCs of one block that were read before, as its meta file has them, in pages: a positional
 * read whose page is here need not read the meta file. Lives and dies with its file map. Safe for
 * any number of threads, without locks.
 */
public final class ChunkCrcs {
  /** Bytes of CRCs in a page; the block's last page may be shorter. */
  public static final int PAGE_BYTES = 4096;

  /** Heap of a page beside its CRCs: two object headers, a buffer's fields. */
  private static final int PAGE_OVERHEAD_BYTES = 64;

  private static final int REFERENCE_BYTES = 4;

  private volatile @Nullable AtomicReferenceArray<@Nullable ByteBuffer> pages;
  private volatile int keptBytes;
  private volatile boolean dropped;

  /** Heap that keeping a page of so many bytes of CRCs takes. */
  public static int heapBytes(int pageBytes) {
    return pageBytes + PAGE_OVERHEAD_BYTES;
  }

  /** The page, for absolute reads only; null if it is not here. */
  public @Nullable ByteBuffer page(int index) {
    AtomicReferenceArray<@Nullable ByteBuffer> all = pages;
    return all == null || index >= all.length() ? null : all.get(index);
  }

  /**
   * Keeps a copy of a page of CRCs.
   *
   * @param count pages that the block has
   * @return false if there is one already, or the map is gone: then nothing is kept
   */
  public boolean keep(int index, int count, ByteBuffer from, int at, int length) {
    AtomicReferenceArray<@Nullable ByteBuffer> all = dropped ? null : allPages(count);
    if (all == null || all.get(index) != null) {
      return false;
    }
    ByteBuffer page = ByteBuffer.allocate(length).put(0, from, at, length);
    if (!all.compareAndSet(index, null, page)) {
      return false;
    }
    add(heapBytes(length));
    // drop() may have looked at this page before it was here.
    return !dropped || !remove(all, index);
  }

  private synchronized AtomicReferenceArray<@Nullable ByteBuffer> allPages(int count) {
    AtomicReferenceArray<@Nullable ByteBuffer> all = pages;
    if (all == null) {
      all = new AtomicReferenceArray<>(count);
      keptBytes += count * REFERENCE_BYTES;
      pages = all;
    }
    return all;
  }

  private synchronized void add(int bytes) {
    keptBytes += bytes;
  }

  /**
   * Forgets all pages, for good.
   *
   * @return their heap in bytes, as {@link #heapBytes(int)} counts it
   */
  public long drop() {
    dropped = true;
    AtomicReferenceArray<@Nullable ByteBuffer> all = pages;
    long freed = 0;
    for (int i = 0; all != null && i < all.length(); i++) {
      ByteBuffer page = all.getAndSet(i, null);
      if (page != null) {
        freed += heapBytes(page.capacity());
        add(-heapBytes(page.capacity()));
      }
    }
    return freed;
  }

  private boolean remove(AtomicReferenceArray<@Nullable ByteBuffer> all, int index) {
    ByteBuffer page = all.getAndSet(index, null);
    if (page != null) {
      add(-heapBytes(page.capacity()));
    }
    return page != null;
  }

  /** Heap that this takes now, in bytes, without itself. */
  public int heapBytes() {
    return keptBytes;
  }
}
