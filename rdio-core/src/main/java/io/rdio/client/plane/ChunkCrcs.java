// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane;

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

  /** Heap of a page beside its CRCs: a buffer, the array in it, and a share of this object. */
  private static final int PAGE_OVERHEAD_BYTES = 128;

  /** Of a map of which none was kept yet. */
  static final ChunkCrcs NONE = new ChunkCrcs();

  /** Of a map that was dropped before any was kept. */
  static final ChunkCrcs DROPPED = new ChunkCrcs();

  private volatile @Nullable AtomicReferenceArray<@Nullable ByteBuffer> pages;
  private volatile boolean dropped;

  static {
    DROPPED.drop();
  }

  ChunkCrcs() {}

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
  boolean keep(int index, int count, ByteBuffer from, int at, int length) {
    AtomicReferenceArray<@Nullable ByteBuffer> all = dropped ? null : allPages(count);
    if (all == null || all.get(index) != null) {
      return false;
    }
    ByteBuffer page = ByteBuffer.allocate(length).put(0, from, at, length);
    if (!all.compareAndSet(index, null, page)) {
      return false;
    }
    // drop() may have looked at this page before it was here.
    return !dropped || all.getAndSet(index, null) == null;
  }

  private synchronized AtomicReferenceArray<@Nullable ByteBuffer> allPages(int count) {
    AtomicReferenceArray<@Nullable ByteBuffer> all = pages;
    if (all == null) {
      all = new AtomicReferenceArray<>(count);
      pages = all;
    }
    return all;
  }

  /** Whether they were forgotten for good. */
  boolean isDropped() {
    return dropped;
  }

  /** Heap of what is kept now. */
  int heapBytes() {
    AtomicReferenceArray<@Nullable ByteBuffer> all = pages;
    int bytes = 0;
    for (int i = 0; all != null && i < all.length(); i++) {
      ByteBuffer page = all.get(i);
      bytes += page == null ? 0 : heapBytes(page.capacity());
    }
    return bytes;
  }

  /**
   * Forgets all pages, for good.
   *
   * @return their heap in bytes, as {@link #heapBytes(int)} counts it
   */
  long drop() {
    dropped = true;
    AtomicReferenceArray<@Nullable ByteBuffer> all = pages;
    long freed = 0;
    for (int i = 0; all != null && i < all.length(); i++) {
      ByteBuffer page = all.getAndSet(i, null);
      if (page != null) {
        freed += heapBytes(page.capacity());
      }
    }
    return freed;
  }
}
