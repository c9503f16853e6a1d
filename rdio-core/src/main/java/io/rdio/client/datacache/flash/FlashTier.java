// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.datacache.flash;

import io.rdio.client.counters.ClientCounters;
import io.rdio.core.block.BlockKey;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;

/**
 * Chunks of blocks in a local file, the main queue behind the block data cache in memory. Safe for
 * any number of threads: a read takes a lock for a look at the index and waits for the file without
 * one; nobody waits for a write, which a thread of the tier's own does. What comes faster than the
 * file takes it is not kept.
 *
 * <p><b>Right bytes or none.</b> What is read must have the sum that memory has of it, so that a
 * file that was altered, a write that was lost, and a read that raced with the next use of its
 * region are misses, each for itself. An I/O error switches the tier off for good: reads go on as
 * if it had never been.
 *
 * <p><b>Coherence.</b> The tier gives bytes to the block data cache alone, which asks the map's
 * guard behind each, as of any chunk that it inserts. A chunk on its way from memory to here may
 * meet a {@link #drop} of its block: so it comes with a ticket of before its guard was last asked,
 * and one that a drop made invalid is refused.
 */
public final class FlashTier implements AutoCloseable {
  /** Regions that there are at least: fewer are no queue. */
  private static final int MIN_REGIONS = 15;

  /** The smallest file. */
  public static final long MIN_BYTES =
      RegionWriter.HEADER_BYTES + (long) MIN_REGIONS * Region.BYTES;

  /** Chunks that there can be: heap of about 45 bytes is taken for each from the start. */
  public static final int MAX_CHUNKS = 1 << 24;

  /** Chunks that are dropped without giving others a turn at the lock. */
  private static final int DROPPED_TOGETHER = 1024;

  private static final long CLOSE_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final FlashFile file;
  private final int chunkBytes;
  private final int chunks;
  private final ClientCounters counters;
  private final ChunkSums sums;
  private final Tickets tickets = new Tickets();
  private final SharedLog log;
  private final RegionWriter writer;

  /**
   * A tier whose file nothing is written to before the {@link #start}.
   *
   * @param file of at least {@link #MIN_BYTES}; closed with this
   * @param chunkBytes a power of two from {@link FlashFile#PAGE} to 2 MiB
   * @param seed drawn at random for each tier
   */
  public FlashTier(FlashFile file, int chunkBytes, long seed, ClientCounters counters) {
    if (file.sizeBytes() < MIN_BYTES) {
      throw new IllegalArgumentException(
          file.sizeBytes() + " bytes are too few, at least " + MIN_BYTES);
    }
    int slotsOfRegion = Region.BYTES / chunkBytes;
    long regions =
        Math.min(
            file.sizeBytes() / Region.BYTES - RegionWriter.HEADER_BYTES / Region.BYTES,
            MAX_CHUNKS / slotsOfRegion);
    this.file = file;
    this.chunkBytes = chunkBytes;
    this.chunks = (int) regions * slotsOfRegion;
    this.counters = counters;
    this.sums = new ChunkSums(seed);
    this.log = new SharedLog(new RegionLog((int) regions, chunkBytes));
    this.writer = new RegionWriter(file, log, counters);
  }

  /** Begins to admit chunks; to be called once. */
  public void start() {
    writer.start();
  }

  /** One turn of the writer, for tests that do not start it. */
  boolean turn() {
    return writer.turn();
  }

  /** Chunks that there is room for. */
  public int chunks() {
    return chunks;
  }

  /** Bytes of the chunks that are here now, each counted in full. */
  public long cachedBytes() {
    return (long) log.size() * chunkBytes;
  }

  /** Whether a chunk is here, as far as can be said without reading it. */
  public boolean holds(BlockKey block, long chunk) {
    return log.isOn() && log.holds(sums.hash(block, chunk));
  }

  /** A ticket for chunks of a block, drawn before its map's guard is asked for the last time. */
  public int ticket(BlockKey block) {
    return tickets.of(block);
  }

  /**
   * Takes a copy of a chunk, unless it is here, its ticket is not valid any more, or the file does
   * not keep up. Waits for no device.
   *
   * @param bytes direct; from index 0 on
   * @return whether it is here now
   */
  public boolean offer(BlockKey block, long chunk, int length, ByteBuffer bytes, int ticket) {
    if (holds(block, chunk)) {
      return true;
    }
    if (!log.isOn()) {
      return false;
    }
    long hash = sums.hash(block, chunk);
    int sum = sums.sum(block, chunk, length, bytes);
    return switch (log.add(hash, sum, length, bytes, () -> ticket == tickets.of(block))) {
      case ALREADY -> true;
      case NOW -> {
        counters.dataCacheFlashAdmittedBytes.add(length);
        yield true;
      }
      case NO_ROOM -> {
        counters.dataCacheFlashSkips.increment();
        yield false;
      }
      case REFUSED -> false;
    };
  }

  /**
   * Reads a chunk.
   *
   * @param to direct, with room for a whole chunk at a multiple of {@link FlashFile#PAGE}; filled
   *     from index 0 on, perhaps with something else if it is not here
   * @return whether it was here
   */
  public boolean read(BlockKey block, long chunk, int length, ByteBuffer to) {
    if (!log.isOn()) {
      return false;
    }
    long hash = sums.hash(block, chunk);
    SharedLog.Found found = log.find(hash, length, to);
    if (found == null || !(found.copied() || readFile(found.slot(), to))) {
      return false;
    }
    if (sums.sum(block, chunk, length, to) != found.sum()) {
      if (log.removeWrong(hash, found)) {
        counters.dataCacheFlashChecksumFailures.increment();
      }
      return false;
    }
    counters.dataCacheFlashHits.increment();
    counters.dataCacheFlashHitBytes.add(length);
    return true;
  }

  private boolean readFile(int slot, ByteBuffer to) {
    try {
      file.read(RegionWriter.HEADER_BYTES + (long) slot * chunkBytes, to.slice(0, chunkBytes));
      return true;
    } catch (IOException e) {
      writer.fail(e);
      return false;
    }
  }

  /**
   * Drops chunks {@code [from, to)} of a block, and any of the block that are on their way here.
   */
  public void drop(BlockKey block, long from, long to) {
    tickets.renew(block);
    boolean more = true;
    for (long at = from; more && at < to; at += DROPPED_TOGETHER) {
      more = log.remove(hashes(block, at, (int) Math.min(to - at, DROPPED_TOGETHER)));
    }
  }

  private long[] hashes(BlockKey block, long from, int count) {
    long[] hashes = new long[count];
    for (int i = 0; i < count; i++) {
      hashes[i] = sums.hash(block, from + i);
    }
    return hashes;
  }

  /**
   * Forgets all chunks, and lets go of the file; but leaves it as it is where a write does not end,
   * for that goes on.
   */
  @Override
  public void close() {
    close(CLOSE_NANOS);
  }

  /** The same with a bound for the wait. */
  void close(long nanos) {
    writer.close(nanos);
  }
}
