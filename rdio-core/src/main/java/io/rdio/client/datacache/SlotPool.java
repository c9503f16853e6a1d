// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.datacache;

import io.rdio.client.ReadGeometry;
import io.rdio.core.Setting;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import org.jctools.queues.atomic.MpmcAtomicArrayQueue;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Off-heap memory cut into slots of one size, allocated slab by slab as it is needed and kept until
 * the pool is closed. Thread-safe; no lock but to allocate a slab.
 *
 * <p>The slabs are direct buffers, so memory is never freed under somebody who still uses a slot of
 * it: a closed pool lets go of all slabs, and each is freed with the last reference to it.
 */
final class SlotPool {
  private static final Logger LOG = LoggerFactory.getLogger(SlotPool.class);

  /** Small, because whoever allocates one waits until the kernel has cleared it. */
  private static final int SLAB_BYTES = 1 << 20;

  private final int slotBytes;
  private final IntFunction<ByteBuffer> memory;
  private final AtomicInteger allocated = new AtomicInteger();
  private final MpmcAtomicArrayQueue<ByteBuffer> free;
  private volatile int limit;
  private volatile boolean closed;

  /**
   * @param limit most slots that there will ever be
   * @param slotBytes a power of two, at most the 1 MiB of a slab
   */
  SlotPool(int limit, int slotBytes) {
    this(limit, slotBytes, ByteBuffer::allocateDirect);
  }

  /** The same with slots that begin at a multiple of a power of two, which {@code bytes} is. */
  static SlotPool aligned(int limit, int slotBytes, int bytes) {
    return new SlotPool(
        limit,
        slotBytes,
        slab -> ByteBuffer.allocateDirect(slab + bytes).alignedSlice(bytes).slice(0, slab));
  }

  /**
   * The same with slabs from elsewhere.
   *
   * @param memory gives a slab of so many bytes, or throws OutOfMemoryError
   */
  SlotPool(int limit, int slotBytes, IntFunction<ByteBuffer> memory) {
    this.limit = limit;
    this.slotBytes = slotBytes;
    this.memory = memory;
    this.free = new MpmcAtomicArrayQueue<>(Math.max(2, limit));
  }

  /**
   * How many slots, each of a chunk, a block data cache of this size has.
   *
   * @throws IllegalArgumentException if that is no size of a cache, or of a chunk
   */
  static int slots(long bytes, int chunkBytes) {
    if (Integer.bitCount(chunkBytes) != 1
        || chunkBytes < ReadGeometry.SMALLEST_CHUNK
        || chunkBytes > ReadGeometry.LARGEST_CHUNK) {
      throw new IllegalArgumentException(
          "chunks of " + chunkBytes + " bytes: not a power of two from 4096 to 262144");
    }
    if (bytes / chunkBytes < BlockDataCache.MIN_CHUNKS
        || bytes / chunkBytes > BlockDataCache.MAX_CHUNKS) {
      throw new IllegalArgumentException(
          bytes + " bytes are too few or too many for chunks of " + chunkBytes);
    }
    return (int) (bytes / chunkBytes);
  }

  /** Most slots that there can be: less than at first where the JVM refused memory for more. */
  int limit() {
    return limit;
  }

  /** Memory of all slots, in use or not. */
  long allocatedBytes() {
    return (long) allocated.get() * slotBytes;
  }

  /** A slot for the caller's use, whatever is in it; null if all are in use or this is closed. */
  @Nullable ByteBuffer take() {
    ByteBuffer slot = free.poll();
    return slot != null ? slot : grow();
  }

  /** Takes a slot back that nobody reads or writes any more. */
  void giveBack(ByteBuffer slot) {
    if (!closed) {
      free.offer(slot);
    }
    if (closed) {
      free.clear();
    }
  }

  private synchronized @Nullable ByteBuffer grow() {
    ByteBuffer slot = free.poll();
    if (slot != null || closed || allocated.get() >= limit) {
      return slot;
    }
    int slots = Math.min(SLAB_BYTES / slotBytes, limit - allocated.get());
    ByteBuffer slab;
    try {
      slab = memory.apply(slots * slotBytes);
    } catch (OutOfMemoryError e) {
      limit = allocated.get();
      LOG.warn(
          "RDIO: the block data cache stays at {} bytes, for the JVM has no more direct memory:"
              + " raise -XX:MaxDirectMemorySize or lower {}",
          allocatedBytes(),
          Setting.DATA_CACHE,
          e);
      return null;
    }
    allocated.addAndGet(slots);
    for (int i = 1; i < slots; i++) {
      giveBack(slab.slice(i * slotBytes, slotBytes));
    }
    return slab.slice(0, slotBytes);
  }

  /** Lets go of all memory; slots in use stay readable for those who hold them. Idempotent. */
  synchronized void close() {
    closed = true;
    allocated.set(0);
    free.clear();
  }
}
