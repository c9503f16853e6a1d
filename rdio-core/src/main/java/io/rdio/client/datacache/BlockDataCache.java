// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.datacache;

import io.rdio.client.ReadGeometry;
import io.rdio.client.counters.ClientCounters;
import io.rdio.client.datacache.flash.FlashFile;
import io.rdio.client.datacache.flash.FlashTier;
import io.rdio.client.plane.FileMap;
import io.rdio.core.block.BlockKey;
import io.rdio.core.time.MonotonicClock;
import io.rdio.s3fifo.Cache;
import io.rdio.s3fifo.RemovalCause;
import io.rdio.s3fifo.S3Fifo;
import java.nio.ByteBuffer;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * Verified bytes of blocks in off-heap memory, in chunks of one size, evicted by S3-FIFO. Safe for
 * any number of threads; a hit in memory takes no lock and allocates nothing.
 *
 * <p><b>Coherence.</b> A chunk is named by pool, block, generation stamp and its place in the
 * block: what it names never changes, so there is nothing to invalidate. Still nobody reads here
 * without a file map under a valid lease, which {@link io.rdio.client.read.ExtentReader} sees to,
 * and a map that is withdrawn (recalled, unknown to a restarted DataNode, rejected) takes its
 * block's chunks along. A map that only ran out of its lease, or that the FileMap cache evicted,
 * leaves them: whoever is granted the next map of the same generation finds them again.
 *
 * <p><b>Admission.</b> A chunk is cached, and for that read as a whole, when it is missed again
 * within about as many other misses as there is room for chunks. To read 64 KiB where 4 KiB were
 * asked for takes twice as long, or worse where bytes are what the device is short of, and pays
 * only for a chunk that is wanted again before it would be evicted; the missed ones that come back
 * soon are those. On Zipf-distributed reads of 4 KiB (0.99) over four times the cache 86.0% hit,
 * where caching at the first miss gives 85.1% and LRU 82.3%, and the device delivers 3.2 KiB for
 * each read instead of 9.6 and 11.3; on uniform ones 16 instead of 48.
 *
 * <p><b>Flash.</b> Behind memory there may be a {@linkplain io.rdio.client.datacache.flash flash
 * tier}, which takes what is evicted and was hit. Its chunks come back by way of memory, as if they
 * were inserted: they are served and dropped under the same conditions.
 *
 * <p><b>Memory.</b> Every chunk takes a slot of the full size, also a short last one of a block.
 */
public final class BlockDataCache implements AutoCloseable {
  /** Chunks that there is room for, at least: fewer are no cache. */
  public static final int MIN_CHUNKS = 16;

  public static final int MAX_CHUNKS = 1 << 24;

  /** One slot in so many is kept for chunks on their way in, and for evicted ones in use. */
  private static final int SLOTS_PER_SPARE = 64;

  /** Where the bytes of a chunk come from. */
  @FunctionalInterface
  public interface Source {
    /**
     * Copies bytes of the block to an absolute index of a buffer.
     *
     * @return bytes copied, at least 1
     */
    int copy(long offset, ByteBuffer to, int at, int length);
  }

  /** Is told of chunks that had to make room for others, and that no flash tier took. */
  @FunctionalInterface
  public interface EvictionListener {
    /**
     * Called by whoever reads: must neither wait nor throw.
     *
     * @param offset of the chunk in its block
     */
    void evicted(BlockKey block, long offset, int length);
  }

  private final int chunkBytes;
  private final MonotonicClock clock;
  private final ClientCounters counters;
  private final SlotPool slots;
  private final Cache<ChunkKey, CachedChunk> chunks;
  private final RecentlyWanted wanted;
  private final @Nullable FlashAdmission flash;
  private final ConcurrentHashMap<BlockKey, Integer> chunksOfBlock = new ConcurrentHashMap<>();
  private final ThreadLocal<ChunkKey> lookupKey = ThreadLocal.withInitial(ChunkKey::new);
  private final CopyOnWriteArrayList<EvictionListener> evictionListeners =
      new CopyOnWriteArrayList<>();
  private volatile boolean closed;

  /**
   * @param bytes bound of all memory; {@link #MIN_CHUNKS} to {@link #MAX_CHUNKS} chunks
   * @param chunkBytes a power of two from {@link ReadGeometry#SMALLEST_CHUNK} to {@link
   *     ReadGeometry#LARGEST_CHUNK}
   * @param clock the one that leases run on
   */
  public BlockDataCache(long bytes, int chunkBytes, MonotonicClock clock, ClientCounters counters) {
    this(new SlotPool(SlotPool.slots(bytes, chunkBytes), chunkBytes), chunkBytes, clock, counters);
  }

  /**
   * The same in front of a flash tier.
   *
   * @param flash for chunks of the same size; closed with this
   */
  public BlockDataCache(
      long bytes, int chunkBytes, MonotonicClock clock, ClientCounters counters, FlashTier flash) {
    this(
        SlotPool.aligned(SlotPool.slots(bytes, chunkBytes), chunkBytes, FlashFile.PAGE),
        chunkBytes,
        clock,
        counters,
        new FlashAdmission(flash));
  }

  /** A cache in the memory of a pool. */
  BlockDataCache(SlotPool slots, int chunkBytes, MonotonicClock clock, ClientCounters counters) {
    this(slots, chunkBytes, clock, counters, (FlashAdmission) null);
  }

  private BlockDataCache(
      SlotPool slots,
      int chunkBytes,
      MonotonicClock clock,
      ClientCounters counters,
      @Nullable FlashAdmission flash) {
    this.chunkBytes = chunkBytes;
    this.clock = clock;
    this.counters = counters;
    this.slots = slots;
    this.flash = flash;
    this.wanted = new RecentlyWanted(slots.limit() + (flash == null ? 0 : flash.tier().chunks()));
    this.chunks =
        S3Fifo.newBuilder().maximumSize(most(slots.limit())).removalListener(this::removed).build();
  }

  private static int most(int slots) {
    return slots - Math.min(slots, 1 + slots / SLOTS_PER_SPARE);
  }

  /** The start of the chunk that holds an offset of a block. */
  public long floor(long offset) {
    return offset & -chunkBytes;
  }

  /** The end of the chunk that ends at or behind an offset. */
  public long ceil(long offset) {
    return floor(offset + chunkBytes - 1);
  }

  /**
   * Copies what is here of {@code [offset, offset + count)}, up to the first chunk that is not.
   * Waits for a flash tier's file where memory does not have it.
   *
   * @param map of the block, whose lease was found valid
   * @return bytes copied, 0 to {@code count}
   */
  public int read(FileMap map, long offset, byte[] to, int at, int count) {
    return read(map, offset, ChunkCopy.TO_ARRAY, to, at, count);
  }

  /** The same to {@code [at, at + count)} of a buffer, whose position and limit stay. */
  public int read(FileMap map, long offset, ByteBuffer to, int at, int count) {
    return read(map, offset, ChunkCopy.TO_BUFFER, to, at, count);
  }

  /**
   * Copies all of {@code [offset, offset + count)} if it is all here.
   *
   * @return false if it is not; then some of it may have been copied
   */
  public boolean readAll(FileMap map, long offset, ByteBuffer to, int at, int count) {
    ChunkKey key = lookupKey.get();
    int missing = 0;
    for (long chunk = offset / chunkBytes; chunk * chunkBytes < offset + count; chunk++) {
      missing += isHere(key.at(map.block(), chunk)) ? 0 : 1;
    }
    if (missing > 0) {
      counters.dataCacheMisses.add(missing);
      return false;
    }
    return read(map, offset, to, at, count) == count;
  }

  private boolean isHere(ChunkKey key) {
    return chunks.asMap().containsKey(key) || isInFlash(key);
  }

  private boolean isInFlash(ChunkKey key) {
    return flash != null && flash.tier().holds(key.block(), key.chunk());
  }

  /** Whether a flash tier's file would be waited for, as far as can be said without reading it. */
  public boolean waitsForFlash(FileMap map, long offset, int count) {
    ChunkKey key = lookupKey.get();
    boolean waits = false;
    long end = flash == null ? 0 : offset + count;
    for (long chunk = offset / chunkBytes; !waits && chunk * chunkBytes < end; chunk++) {
      key.at(map.block(), chunk);
      waits = !chunks.asMap().containsKey(key) && isInFlash(key);
    }
    return waits;
  }

  private <T> int read(FileMap map, long offset, ChunkCopy<T> copy, T to, int at, int count) {
    int done = 0;
    int copied = 0;
    do {
      CachedChunk chunk = done < count ? acquire(map, offset + done) : null;
      copied = chunk == null ? 0 : read(chunk, offset + done, copy, to, at + done, count - done);
      done += copied;
    } while (copied > 0);
    count(offset, done, count);
    return done;
  }

  /** Copies from a chunk and releases it; 0 bytes where it ends before the offset. */
  private <T> int read(CachedChunk chunk, long offset, ChunkCopy<T> copy, T to, int at, int count) {
    try {
      chunk.hit();
      int from = (int) (offset - floor(offset));
      int length = Math.max(0, Math.min(count, chunk.length() - from));
      copy.copy(chunk.bytes(), from, to, at, length);
      return length;
    } finally {
      chunk.release();
    }
  }

  private @Nullable CachedChunk acquire(FileMap map, long offset) {
    CachedChunk chunk = chunks.getIfPresent(lookupKey.get().at(map.block(), offset / chunkBytes));
    if (chunk != null && chunk.acquire()) {
      return chunk;
    }
    return flash == null ? null : acquireFlash(map, offset / chunkBytes, flash);
  }

  /** The same of a chunk that the flash tier has, which is in memory then, too. */
  private @Nullable CachedChunk acquireFlash(FileMap map, long index, FlashAdmission behind) {
    int length = (int) Math.min(chunkBytes, map.blockLength() - index * chunkBytes);
    int ticket = behind.tier().ticket(map.block());
    ByteBuffer slot = length > 0 && behind.tier().holds(map.block(), index) ? take() : null;
    if (slot == null || !behind.read(map.block(), index, length, slots, slot)) {
      return null;
    }
    CachedChunk chunk = new CachedChunk(slots, slot, length, ticket);
    chunk.acquire();
    if (insert(map, new ChunkKey().at(map.block(), index), chunk)) {
      return chunk;
    }
    chunk.release();
    return null;
  }

  private void count(long offset, int done, int count) {
    long end = offset + count;
    if (done > 0) {
      counters.dataCacheHits.add((ceil(offset + done) - floor(offset)) / chunkBytes);
      counters.dataCacheHitBytes.add(done);
    }
    if (done < count) {
      counters.dataCacheMisses.add((ceil(end) - floor(offset + done)) / chunkBytes);
    }
  }

  /**
   * Whether to read the chunks of {@code [offset, end)} as a whole and {@link #insert} them: one of
   * them was missed not long ago. Those that were not are remembered for the next time.
   */
  public boolean admits(BlockKey block, long offset, long end) {
    ChunkKey key = lookupKey.get();
    boolean again = false;
    for (long chunk = offset / chunkBytes; chunk * chunkBytes < end; chunk++) {
      again |= wanted.add(key.at(block, chunk));
    }
    return again;
  }

  /**
   * Caches the chunks that lie wholly in {@code [offset, end)}, unless they are here, there is no
   * room at the moment, or the map was withdrawn meanwhile.
   *
   * @param map by which the bytes were read, verified, and its lease found valid afterwards
   */
  public void insert(FileMap map, long offset, long end, Source source) {
    for (long start = ceil(offset); start < end; start += chunkBytes) {
      int length = (int) Math.min(chunkBytes, map.blockLength() - start);
      if (start + length <= end) {
        insert(map, new ChunkKey().at(map.block(), start / chunkBytes), start, length, source);
      }
    }
  }

  private void insert(FileMap map, ChunkKey key, long start, int length, Source source) {
    ByteBuffer slot = chunks.asMap().containsKey(key) ? null : take();
    if (slot == null) {
      return;
    }
    int ticket = flash == null ? 0 : flash.tier().ticket(key.block());
    for (int done = 0; done < length; ) {
      done += source.copy(start + done, slot, done, length - done);
    }
    insert(map, key, new CachedChunk(slots, slot, length, ticket));
  }

  /** Caches a chunk unless it is here; false, and no chunk, if the map was withdrawn meanwhile. */
  private boolean insert(FileMap map, ChunkKey key, CachedChunk chunk) {
    chunksOfBlock.merge(key.block(), 1, Integer::sum);
    boolean here = chunks.asMap().putIfAbsent(key, chunk) != null;
    if (here) {
      removed(key, chunk, RemovalCause.REPLACED);
    }
    if (!closed && map.guard().admits(clock.nanos())) {
      return true;
    }
    if (!here) {
      // Whoever withdrew the map, or closed, may have looked for chunks before this one was here.
      chunks.invalidate(key);
      if (flash != null) {
        flash.tier().drop(key.block(), key.chunk(), key.chunk() + 1); // it may have been evicted
      }
    }
    return false;
  }

  private @Nullable ByteBuffer take() {
    ByteBuffer slot = slots.take();
    if (slot == null && chunks.policy().getMaximum() > most(slots.limit())) {
      chunks.policy().setMaximum(most(slots.limit()));
    }
    return slot;
  }

  private void removed(ChunkKey key, CachedChunk chunk, RemovalCause cause) {
    if (cause.wasEvicted()) {
      counters.dataCacheEvictions.increment();
      if (flash == null || !flash.evicted(key, chunk)) {
        tellEvicted(key, chunk);
      }
    }
    chunksOfBlock.computeIfPresent(key.block(), (block, count) -> count == 1 ? null : count - 1);
    chunk.release();
  }

  private void tellEvicted(ChunkKey key, CachedChunk chunk) {
    for (EvictionListener listener : evictionListeners) {
      listener.evicted(key.block(), key.chunk() * chunkBytes, chunk.length());
    }
  }

  /** Drops the chunks of a withdrawn map's block; its lease has ended already. */
  public void drop(FileMap map) {
    ChunkKey key = new ChunkKey();
    long end = map.blockLength();
    for (long at = 0; at < end && chunksOfBlock.containsKey(map.block()); at += chunkBytes) {
      chunks.invalidate(key.at(map.block(), at / chunkBytes));
    }
    if (flash != null) {
      flash.tier().drop(map.block(), 0, ceil(end) / chunkBytes);
    }
  }

  /** Has evictions told to one more from now on. */
  public void addEvictionListener(EvictionListener listener) {
    evictionListeners.add(listener);
  }

  /** Has evictions not told to that one any more. */
  public void removeEvictionListener(EvictionListener listener) {
    evictionListeners.remove(listener);
  }

  /** Memory of the chunks that are cached now. */
  public long cachedBytes() {
    return chunks.estimatedSize() * chunkBytes;
  }

  /** Bytes of the flash tier's file that its chunks take now; 0 without one. */
  public long flashBytes() {
    return flash == null ? 0 : flash.tier().cachedBytes();
  }

  /** Memory allocated, in use or not; never more than the bound. */
  public long allocatedBytes() {
    return slots.allocatedBytes();
  }

  /** Drops all chunks and lets go of all memory; nothing is cached any more. Idempotent. */
  @Override
  public void close() {
    closed = true;
    chunks.invalidateAll();
    slots.close();
    if (flash != null) {
      flash.tier().close();
    }
  }
}
