// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.datacache.flash;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.rdio.client.counters.ClientCounters;
import io.rdio.core.block.BlockKey;
import io.rdio.core.thread.DaemonLoop;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

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
  private static final Logger LOG = LoggerFactory.getLogger(FlashTier.class);

  /** The first bytes of the file are its header. */
  static final int HEADER_BYTES = Region.BYTES;

  /** Regions that there are at least: fewer are no queue. */
  private static final int MIN_REGIONS = 15;

  /** The smallest file. */
  public static final long MIN_BYTES = HEADER_BYTES + (long) MIN_REGIONS * Region.BYTES;

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
  private final DaemonLoop writer;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition work = lock.newCondition();

  @GuardedBy("lock")
  private final RegionLog log;

  private volatile boolean on = true; // written under the lock

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
            file.sizeBytes() / Region.BYTES - HEADER_BYTES / Region.BYTES,
            MAX_CHUNKS / slotsOfRegion);
    this.file = file;
    this.chunkBytes = chunkBytes;
    this.chunks = (int) regions * slotsOfRegion;
    this.counters = counters;
    this.sums = new ChunkSums(seed);
    this.log = new RegionLog((int) regions, chunkBytes);
    this.writer = new DaemonLoop("rdio-flash", this::step, new LongAdder());
  }

  /** Begins to admit chunks; to be called once. */
  public void start() {
    turn(); // the first region waits for no device, so the first chunk need not come later
    writer.start();
  }

  /** Chunks that there is room for. */
  public int chunks() {
    return chunks;
  }

  /** Bytes of the chunks that are here now, each counted in full. */
  public long cachedBytes() {
    lock.lock();
    try {
      return (long) log.index().size() * chunkBytes;
    } finally {
      lock.unlock();
    }
  }

  /** Whether a chunk is here, as far as can be said without reading it. */
  public boolean holds(BlockKey block, long chunk) {
    if (!on) {
      return false;
    }
    long hash = sums.hash(block, chunk);
    lock.lock();
    try {
      return log.index().find(hash) != FlashIndex.NONE;
    } finally {
      lock.unlock();
    }
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
    if (!on) {
      return false;
    }
    long hash = sums.hash(block, chunk);
    int sum = sums.sum(block, chunk, length, bytes);
    lock.lock();
    try {
      if (!on || ticket != tickets.of(block)) {
        return false;
      }
      return log.index().find(hash) != FlashIndex.NONE || add(hash, sum, length, bytes);
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock")
  private boolean add(long hash, int sum, int length, ByteBuffer bytes) {
    if (!log.add(hash, sum, length, bytes)) {
      counters.dataCacheFlashSkips.increment();
      return false;
    }
    counters.dataCacheFlashAdmittedBytes.add(length);
    if (log.full() != null) {
      work.signal();
    }
    return true;
  }

  /**
   * Reads a chunk.
   *
   * @param to direct, with room for a whole chunk at a multiple of {@link FlashFile#PAGE}; filled
   *     from index 0 on, perhaps with something else if it is not here
   * @return whether it was here
   */
  public boolean read(BlockKey block, long chunk, int length, ByteBuffer to) {
    if (!on) {
      return false;
    }
    long hash = sums.hash(block, chunk);
    int slot;
    int sum;
    int round;
    boolean copied;
    lock.lock();
    try {
      slot = log.index().find(hash);
      if (slot == FlashIndex.NONE) {
        return false;
      }
      log.index().hit(slot);
      sum = log.index().sumOf(slot);
      round = log.roundOf(log.regionOf(slot));
      copied = copy(slot, length, to);
    } finally {
      lock.unlock();
    }
    if (!copied && !readFile(slot, to)) {
      return false;
    }
    if (sums.sum(block, chunk, length, to) != sum) {
      mismatch(hash, slot, round);
      return false;
    }
    counters.dataCacheFlashHits.increment();
    counters.dataCacheFlashHitBytes.add(length);
    return true;
  }

  /** Copies a chunk that is not in the file yet. */
  @GuardedBy("lock")
  private boolean copy(int slot, int length, ByteBuffer to) {
    Region memory = log.memoryOf(log.regionOf(slot));
    if (memory != null) {
      memory.copy(log.withinRegion(slot), to, length);
    }
    return memory != null;
  }

  private boolean readFile(int slot, ByteBuffer to) {
    try {
      file.read(HEADER_BYTES + (long) slot * chunkBytes, to.slice(0, chunkBytes));
      return true;
    } catch (IOException e) {
      switchOff(e);
      return false;
    }
  }

  /** A chunk whose region is in use again was read too late, which is nobody's fault. */
  private void mismatch(long hash, int slot, int round) {
    lock.lock();
    try {
      if (on && log.roundOf(log.regionOf(slot)) == round && log.index().hashOf(slot) == hash) {
        log.index().removeSlot(slot);
        counters.dataCacheFlashChecksumFailures.increment();
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Drops chunks {@code [from, to)} of a block, and any of the block that are on their way here.
   */
  public void drop(BlockKey block, long from, long to) {
    tickets.renew(block);
    long at = from;
    while (at < to && dropSome(block, at, Math.min(to, at + DROPPED_TOGETHER))) {
      at += DROPPED_TOGETHER;
    }
  }

  /** False where nothing is left at all. */
  private boolean dropSome(BlockKey block, long from, long to) {
    lock.lock();
    try {
      for (long chunk = from; chunk < to && log.index().size() > 0; chunk++) {
        log.index().remove(sums.hash(block, chunk));
      }
      return log.index().size() > 0;
    } finally {
      lock.unlock();
    }
  }

  private void step() throws InterruptedException {
    lock.lockInterruptibly();
    try {
      while (on && log.full() == null && log.toOpen() == null) {
        work.await();
      }
    } finally {
      lock.unlock();
    }
    turn();
  }

  /**
   * Opens one region or writes one, whichever is more urgent; for one thread.
   *
   * @return whether there was anything to do
   */
  boolean turn() {
    boolean ended = false;
    try {
      boolean done = openRegion() || writeRegion();
      ended = true;
      return done;
    } catch (IOException e) {
      ended = true;
      switchOff(e);
      return false;
    } finally {
      if (!ended) {
        switchOff(null); // thrown, and logged where it is caught
      }
    }
  }

  private boolean openRegion() throws IOException {
    Region region;
    RegionLog.Kept kept;
    lock.lock();
    try {
      region = on ? log.toOpen() : null;
      if (region == null) {
        return false;
      }
      kept = log.hit();
    } finally {
      lock.unlock();
    }
    if (kept.slots().length > 0) {
      file.read(offset(kept.region()), region.bytes());
      for (int i = 0; i < kept.slots().length; i++) {
        region.move(kept.slots()[i], i);
      }
    }
    lock.lock();
    try {
      if (on) {
        log.open(kept);
      }
    } finally {
      lock.unlock();
    }
    return true;
  }

  private boolean writeRegion() throws IOException {
    Region region;
    lock.lock();
    try {
      region = on ? log.full() : null;
    } finally {
      lock.unlock();
    }
    if (region == null) {
      return false;
    }
    file.write(offset(region.number()), region.bytes());
    lock.lock();
    try {
      if (on) {
        log.written();
      }
    } finally {
      lock.unlock();
    }
    counters.dataCacheFlashWrittenBytes.add(Region.BYTES);
    return true;
  }

  private static long offset(int region) {
    return HEADER_BYTES + (long) region * Region.BYTES;
  }

  private void switchOff(@Nullable IOException failure) {
    if (end()) {
      counters.dataCacheFlashFailures.increment();
      LOG.warn(
          "RDIO: the flash tier of the block data cache is off until the next start, after an error"
              + " with {}; reads go on without it",
          file.name(),
          failure);
    }
  }

  /** Whether it was on. */
  private boolean end() {
    writer.end();
    lock.lock();
    try {
      boolean was = on;
      on = false;
      log.clear();
      work.signalAll();
      return was;
    } finally {
      lock.unlock();
    }
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
    end();
    boolean interrupted = Thread.interrupted(); // would close the file before it is emptied
    try {
      boolean ended = false;
      long deadline = System.nanoTime() + nanos;
      for (long left = nanos; !ended && left > 0; left = deadline - System.nanoTime()) {
        try {
          ended = writer.awaitEnd(1 + TimeUnit.NANOSECONDS.toMillis(left));
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
      closeFile(ended);
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** An interrupt of the writer would close the channel that it writes to. */
  private void closeFile(boolean writerEnded) {
    if (writerEnded) {
      file.close();
    } else {
      LOG.warn(
          "RDIO: a write to the flash tier's file {} does not end; the file is left as it is until"
              + " this process ends",
          file.name());
    }
  }
}
