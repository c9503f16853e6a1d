// SPDX-License-Identifier: Apache-2.0
package io.rdio.exclusive.prefcache;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A device as a storage target in this process serves it: reads come from off-heap memory where the
 * blocks are there, else from the device, and writes never leave anything older behind.
 * Thread-safe.
 *
 * <p>Every read and write locks its blocks from before it touches the device until the cache knows
 * of it. A prefetch locks them likewise, so it cannot read the device before a write and bring in
 * its bytes after it.
 */
final class CachedTarget {
  /** The device, past any cache. */
  interface Disk {
    /** Fills the buffer's remaining bytes, whole blocks. */
    void read(long firstBlock, ByteBuffer to) throws IOException;

    /** Writes the buffer's remaining bytes, whole blocks. */
    void write(long firstBlock, ByteBuffer from) throws IOException;
  }

  private final PrefCache cache;
  private final OffHeapStore store;
  private final int device;
  private final int blockBytes;
  private final OnWrite onWrite;
  private final Disk disk;

  /**
   * @param store the cache's
   * @param onWrite as the cache has it
   */
  CachedTarget(
      PrefCache cache, OffHeapStore store, int device, int blockBytes, OnWrite onWrite, Disk disk) {
    this.cache = cache;
    this.store = store;
    this.device = device;
    this.blockBytes = blockBytes;
    this.onWrite = onWrite;
    this.disk = disk;
  }

  /**
   * Fills the buffer's remaining bytes, whole blocks. What was cached of them is not any more.
   *
   * @return how many blocks came from memory
   */
  int read(long firstBlock, ByteBuffer to) throws IOException, InterruptedException {
    int blocks = to.remaining() / blockBytes;
    return cache.locks().lock(device, firstBlock, blocks, () -> readLocked(firstBlock, to, blocks));
  }

  private int readLocked(long firstBlock, ByteBuffer to, int blocks) throws IOException {
    int start = to.position();
    boolean[] hit = new boolean[blocks];
    int hits;
    synchronized (cache) {
      for (int i = 0; i < blocks; i++) {
        to.position(start + i * blockBytes);
        hit[i] = store.read(device, firstBlock + i, to);
      }
      hits = cache.segments().read(device, firstBlock, blocks);
      store.releaseRead(device, firstBlock, blocks);
    }
    readMisses(firstBlock, to, start, hit);
    to.position(to.limit());
    return hits;
  }

  private void readMisses(long firstBlock, ByteBuffer to, int start, boolean[] hit)
      throws IOException {
    for (int i = 0; i < hit.length; i++) {
      int from = i;
      while (i < hit.length && !hit[i]) {
        i++;
      }
      if (i > from) {
        disk.read(firstBlock + from, to.slice(start + from * blockBytes, (i - from) * blockBytes));
      }
    }
  }

  /**
   * Writes the buffer's remaining bytes, whole blocks, to the device and, if so told, the cache.
   */
  void write(long firstBlock, ByteBuffer from) throws IOException, InterruptedException {
    int blocks = from.remaining() / blockBytes;
    cache.locks().lock(device, firstBlock, blocks, () -> writeLocked(firstBlock, from, blocks));
  }

  private int writeLocked(long firstBlock, ByteBuffer from, int blocks) throws IOException {
    int start = from.position();
    boolean written = false;
    try {
      disk.write(firstBlock, from);
      written = true;
    } finally {
      synchronized (cache) {
        if (written && onWrite == OnWrite.UPDATE) {
          cache.segments().written(device, firstBlock, blocks);
          for (int i = 0; i < blocks; i++) {
            store.update(device, firstBlock + i, from, start + i * blockBytes);
          }
        } else {
          // After a failed write nobody knows which bytes the device has: the blocks go.
          cache.segments().invalidate(device, firstBlock, blocks);
          store.releaseWritten(device, firstBlock, blocks);
        }
      }
    }
    return blocks;
  }
}
