// SPDX-License-Identifier: Apache-2.0
package io.rdio.exclusive.prefcache;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.OptionalLong;
import org.jctools.maps.NonBlockingHashMapLong;
import org.jspecify.annotations.Nullable;

/**
 * Off-heap memory of this process, for a storage target that runs in it ({@link CachedTarget}). A
 * kernel target cannot look here.
 *
 * <p>A block takes its bytes and about 110 of heap. Memory is allocated as it is needed and kept
 * until the store is closed. Except for {@link #fetch}, which has a buffer of its own, all calls
 * are made under PrefCache's lock, so that a block is never read while it is let go of.
 */
final class OffHeapStore implements SegmentStore {
  /** How blocks are read from a device, past any cache. */
  @FunctionalInterface
  interface BlockReader {
    /** Fills the buffer's remaining bytes, whole blocks. */
    void read(int device, long firstBlock, ByteBuffer to) throws IOException;
  }

  private static final int SLAB_BYTES = 1 << 20;
  private static final int DEVICE_SHIFT = 48;

  private final int blockBytes;
  private final long limit;
  private final BlockReader reader;
  private final NonBlockingHashMapLong<ByteBuffer> blocks = new NonBlockingHashMapLong<>();
  private final ArrayDeque<ByteBuffer> free = new ArrayDeque<>();
  private final ByteBuffer staging;
  private long stagedFirst;
  private long allocated;

  /**
   * @param capacityBytes the cache's, so that there is room for whatever it admits
   * @param runBlocks of one fetch at most
   */
  OffHeapStore(int blockBytes, long capacityBytes, int runBlocks, BlockReader reader) {
    this.blockBytes = blockBytes;
    this.limit = capacityBytes / blockBytes * blockBytes;
    this.reader = reader;
    this.staging = ByteBuffer.allocateDirect(runBlocks * blockBytes + blockBytes);
  }

  @Override
  public void fetch(int device, long firstBlock, int count) throws IOException {
    reader.read(device, firstBlock, staging.clear().limit(count * blockBytes));
    stagedFirst = firstBlock;
  }

  @Override
  public void admit(int device, long firstBlock, int count) {
    for (long block = firstBlock; block < firstBlock + count; block++) {
      ByteBuffer slot = blocks.get(key(device, block));
      if (slot == null) {
        slot = take();
        blocks.put(key(device, block), slot);
      }
      slot.put(0, staging, (int) (block - stagedFirst) * blockBytes, blockBytes);
    }
  }

  /**
   * Copies one block, if it is here, to the buffer's position and moves that.
   *
   * @return whether it is here
   */
  boolean read(int device, long block, ByteBuffer to) {
    ByteBuffer slot = blocks.get(key(device, block));
    if (slot == null) {
      return false;
    }
    to.put(to.position(), slot, 0, blockBytes);
    to.position(to.position() + blockBytes);
    return true;
  }

  /** Replaces the bytes of a block that is here by those from an index of a buffer on. */
  void update(int device, long block, ByteBuffer from, int at) {
    ByteBuffer slot = blocks.get(key(device, block));
    if (slot != null) {
      slot.put(0, from, at, blockBytes);
    }
  }

  @Override
  public void release(int device, long firstBlock, int count) {
    for (long block = firstBlock; block < firstBlock + count; block++) {
      ByteBuffer slot = blocks.remove(key(device, block));
      if (slot != null) {
        free.add(slot);
      }
    }
  }

  @Override
  public void releaseWritten(int device, long firstBlock, int count) {
    release(device, firstBlock, count);
  }

  @Override
  public void releaseRead(int device, long firstBlock, int count) {
    release(device, firstBlock, count);
  }

  @Override
  public void settle(Unwanted unwanted) {
    // Nothing is put off.
  }

  private ByteBuffer take() {
    @Nullable ByteBuffer slot = free.poll();
    if (slot != null) {
      return slot;
    }
    long slab = Math.max(SLAB_BYTES / blockBytes, 1) * (long) blockBytes;
    long bytes = Math.min(slab, limit - allocated);
    if (bytes <= 0) {
      throw new IllegalStateException("more blocks were admitted than " + limit + " bytes hold");
    }
    ByteBuffer memory = ByteBuffer.allocateDirect((int) bytes);
    allocated += bytes;
    for (int at = blockBytes; at < bytes; at += blockBytes) {
      free.add(memory.slice(at, blockBytes));
    }
    return memory.slice(0, blockBytes);
  }

  @Override
  public OptionalLong residentBytes() {
    return OptionalLong.of((long) blocks.size() * blockBytes);
  }

  private static long key(int device, long block) {
    return (long) device << DEVICE_SHIFT | block;
  }

  @Override
  public void close() {
    blocks.clear();
    free.clear();
  }
}
