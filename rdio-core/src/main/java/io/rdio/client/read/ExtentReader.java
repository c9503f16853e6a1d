// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import io.rdio.client.datacache.BlockDataCache;
import io.rdio.client.filemap.BlockRequest;
import io.rdio.client.plane.FileMap;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.device.DeviceIdentity;
import java.lang.ref.Cleaner;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Reads one block from the device. Bytes that it hands out were read under a lease that was valid
 * before and after, and match their CRC.
 *
 * <p>Sequential reads are served from a window that is kept from read to read and grows as the run
 * goes on; other reads fetch what they need and keep nothing, but for what the block data cache
 * takes. A read that fails is tried once more with a new map, perhaps of another replica.
 *
 * <p>Safe for any number of threads. No lock is taken: whoever reads owns the window that it reads
 * with, and the kept one belongs to whoever took it out of its slot. That is also why {@link
 * #close} may come at any time, and twice.
 */
public final class ExtentReader implements AutoCloseable {
  /** What is read ahead at first in a sequential run; it grows by the factor below. */
  private static final int FIRST_AHEAD = 64 << 10;

  private static final int GROWTH = 4;

  /**
   * Data bytes of a window where several are under way: small, so that CRCs and copies begin soon.
   */
  private static final int PIECE = 256 << 10;

  private static final long NOWHERE = -1;

  /** With one map, and once more with another. */
  private static final int MAX_READ_TRIES = 2;

  private final ReadContext context;
  private final BlockRequest request;
  private final boolean verifyChecksum;
  private final long length;
  private final KeptReadAheads.Place kept = new KeptReadAheads.Place();
  private final AtomicReference<@Nullable FileMap> suspect = new AtomicReference<>();
  private volatile Cleaner.@Nullable Cleanable keeping;
  private volatile MappedReplica replica;
  private volatile boolean closed;

  /** Whether the map of the block behind this one was asked for, and its first bytes were. */
  private volatile boolean nextMapped;

  private volatile boolean nextBegun;

  /** Where the next read begins if it goes on from the last one; before the first, NOWHERE. */
  private volatile long nextOffset = NOWHERE;

  private ExtentReader(
      ReadContext context,
      BlockRequest request,
      boolean verifyChecksum,
      long length,
      MappedReplica replica) {
    this.context = context;
    this.request = request;
    this.verifyChecksum = verifyChecksum;
    this.length = length;
    this.replica = replica;
  }

  /**
   * A reader of a block's first bytes. With a warm map it costs two map lookups.
   *
   * @param visibleLength where the caller stops reading, in bytes from the block's start
   * @throws FallbackException why stock HDFS must serve this block
   */
  public static ExtentReader open(
      ReadContext context, BlockRequest request, boolean verifyChecksum, long visibleLength)
      throws FallbackException {
    MappedReplica replica = context.resolve(request, verifyChecksum, visibleLength);
    BlocksAhead.Begun begun = context.blocksAhead().take(replica, visibleLength);
    if (begun == null) {
      return new ExtentReader(context, request, verifyChecksum, visibleLength, replica);
    }
    ExtentReader reader =
        new ExtentReader(context, request, verifyChecksum, visibleLength, begun.replica());
    reader.giveBack(begun.ahead(), true);
    return reader;
  }

  /** Bytes that can be read: offsets {@code [0, length())}. */
  public long length() {
    return length;
  }

  /** The device that is read at present. */
  public DeviceIdentity deviceIdentity() {
    return replica.map().device();
  }

  /**
   * Reads all of {@code [offset, offset + count)}, which must lie in the block.
   *
   * @throws FallbackException why RDIO could not; {@code target} may have been written to.
   *     ACCESSOR_CLOSED when closed meanwhile
   */
  public void read(long offset, byte[] target, int at, int count) throws FallbackException {
    readRetrying(offset, Destination.ARRAY, target, at, count);
  }

  /**
   * The same to {@code [at, at + count)} of a buffer, whose position and limit stay as they are.
   * Goes straight to the caller's memory where it is direct and all is aligned.
   */
  public void read(long offset, ByteBuffer target, int at, int count) throws FallbackException {
    readRetrying(offset, Destination.BUFFER, target, at, count);
  }

  /**
   * The map by which bytes were read that do not match their checksum, while another one may have
   * served the read. Told once; null, at the cost of a volatile read, if there is none.
   */
  public @Nullable FileMap takeSuspect() {
    return suspect.get() == null ? null : suspect.getAndSet(null);
  }

  /**
   * Gives back what was read ahead, waiting a moment for what is under way to it; reads of other
   * threads end with their next piece. Idempotent. A reader that is never closed gives it back when
   * it is garbage.
   */
  @Override
  public void close() {
    closed = true;
    Cleaner.Cleanable registration = keeping;
    ReadAhead ahead = kept.getAndSet(null);
    if (ahead != null) {
      context.readAheads().giveBack(ahead);
    }
    if (registration != null) {
      registration.clean();
    }
  }

  private <T> void readRetrying(
      long offset, Destination<T> destination, T target, int at, int count)
      throws FallbackException {
    MappedReplica from = replica;
    for (int tries = 1; ; tries++) {
      boolean leaseHeld = from.isGuarded(context.clock());
      try {
        readOnce(from, offset, destination, target, at, count);
        break;
      } catch (FallbackException e) {
        // Idle for longer than a lease: nothing failed, a new map is all it takes.
        boolean sleptOver = tries == 1 && !leaseHeld && e.reason() == FallbackReason.LEASE_EXPIRED;
        if (!sleptOver && (!rejects(from.map(), e.reason()) || tries >= MAX_READ_TRIES)) {
          throw e;
        }
      }
      from = context.resolve(request, verifyChecksum, length);
      replica = from;
    }
    context.counters().rdioReads.increment();
    context.counters().rdioBytes.add(count);
  }

  /** Draws the conclusions from a failed read; false if a new map would not help. */
  private boolean rejects(FileMap map, FallbackReason reason) {
    switch (reason) {
      case CHECKSUM_MISMATCH -> {
        context.counters().checksumMismatches.increment();
        suspect.set(map);
      }
      case LEASE_EXPIRED -> context.counters().staleMaps.increment();
      case DEVICE_IO_ERROR, DEVICE_MISMATCH -> {
        context.counters().staleMaps.increment();
        context.devices().forget(map.device());
      }
      case DEVICE_TIMEOUT -> {
        // The caller has waited long enough: stock HDFS reads this, another replica what follows.
        context.maps().reject(map, reason);
        return false;
      }
      default -> {
        return false;
      }
    }
    context.maps().reject(map, reason);
    return true;
  }

  private <T> void readOnce(
      MappedReplica from, long offset, Destination<T> destination, T target, int at, int count)
      throws FallbackException {
    int done = copyCached(from, offset, destination, target, at, count);
    if (done == count) {
      nextOffset = offset + count;
      return;
    }
    ReadAhead keptAhead = kept.getAndSet(null);
    boolean sequential = isSequential(keptAhead, offset, count);
    ReadAhead ahead = keptAhead != null ? keptAhead : context.readAheads().borrow();
    if (!ahead.hasQueue() && !ahead.holds(offset)) {
      ahead = context.readAheads().exchange(ahead);
    }
    boolean good = false;
    boolean keep = false;
    long budget = 0;
    try {
      budget = sequential ? budget(ahead, count) : 0;
      ahead.keepCrcs(!sequential);
      if (!sequential) {
        done +=
            readAndKeep(ahead, from, offset + done, destination, target, at + done, count - done);
      }
      while (done < count) {
        long next = offset + done;
        int rest = count - done;
        if (!ahead.holds(next)) {
          requireOpen();
          from.device().requireAnswering();
          if (budget == 0 || rest >= PIECE) {
            int direct = readInPlace(ahead, from, next, destination, target, at + done, rest);
            if (direct > 0) {
              done += direct;
              continue;
            }
          }
          advance(ahead, from, next, offset + count, budget);
        }
        done += destination.copy(ahead.current(), next, target, at + done, rest);
      }
      nextOffset = offset + count;
      good = true;
      keep = budget > 0 && offset + count < length;
    } finally {
      giveBack(ahead, good && keep);
    }
    if (budget >= BlocksAhead.BYTES && !nextBegun && length == from.map().blockLength()) {
      prepareNext();
    }
  }

  /** A long run will most probably go on in the next block. */
  private void prepareNext() {
    if (!nextMapped) {
      nextMapped = true;
      context.maps().following(request);
    }
    if (length - nextOffset <= BlocksAhead.BYTES) {
      nextBegun = true;
      context.blocksAhead().beginBehind(request, verifyChecksum);
    }
  }

  /** What the block data cache has of a read; a run that has read ahead does not ask it. */
  private <T> int copyCached(
      MappedReplica from, long offset, Destination<T> destination, T target, int at, int count)
      throws FallbackException {
    BlockDataCache cache = context.dataCache();
    if (cache == null || kept.get() != null) {
      return 0;
    }
    requireOpen();
    return CachedReads.copy(cache, from, context.clock(), offset, destination, target, at, count);
  }

  private <T> int readAndKeep(
      ReadAhead ahead,
      MappedReplica from,
      long offset,
      Destination<T> destination,
      T target,
      int at,
      int count)
      throws FallbackException {
    BlockDataCache cache = context.dataCache();
    if (cache == null) {
      return 0;
    }
    requireOpen();
    from.device().requireAnswering();
    return CachedReads.readAndKeep(
        cache, ahead, from, context.clock(), piece(ahead), offset, destination, target, at, count);
  }

  /**
   * Whether the caller will probably go on behind this read: it goes on from the last one, or skips
   * less than what a run begins with, or within what is here, or begins and leaves bytes for later
   * (a positional read asks for all that it wants at once).
   */
  private boolean isSequential(@Nullable ReadAhead ahead, long offset, int count) {
    long expected = nextOffset;
    return (expected != NOWHERE && offset >= expected && offset - expected < FIRST_AHEAD)
        || (ahead != null && ahead.holds(offset))
        || (expected == NOWHERE && offset + count < length);
  }

  /** Bytes to have under way in a sequential run; 0 where memory is too scarce for any. */
  private long budget(ReadAhead ahead, int count) {
    long grown = GROWTH * Math.max(count, ahead.bytes());
    int most = Math.min(context.readAheads().aheadBytes(), ahead.maxWindows() * piece(ahead));
    long wanted = Math.min(Math.max(FIRST_AHEAD, grown), most);
    long budget = context.windows().keepable(wanted, ahead.footprint());
    return budget < WindowPool.SMALLEST ? 0 : budget;
  }

  /** Brings the byte at {@code next}: with what comes behind it, or with the rest of the read. */
  private void advance(ReadAhead ahead, MappedReplica from, long next, long end, long budget)
      throws FallbackException {
    if (budget > 0) {
      int size = (int) Math.min(budget, piece(ahead));
      ahead.advance(from, next, length, size, (int) (budget / size), context.clock());
    } else {
      int size = (int) Math.min(from.chunkCeil(end) - from.chunkFloor(next), piece(ahead));
      ahead.advance(from, next, end, size, ahead.maxWindows(), context.clock());
    }
  }

  private <T> int readInPlace(
      ReadAhead ahead,
      MappedReplica from,
      long offset,
      Destination<T> destination,
      T target,
      int at,
      int count)
      throws FallbackException {
    return destination.readInPlace(
        ahead, from, offset, target, at, count, Math.min(count, piece(ahead)), context.clock());
  }

  /** Data bytes of a window: small where several are under way, else as large as can be. */
  private int piece(ReadAhead ahead) {
    return ahead.maxWindows() > 1 ? PIECE : context.windows().largestWindow();
  }

  private void giveBack(ReadAhead ahead, boolean keep) {
    if (keep && keeping == null) {
      keeping = context.readAheads().addKeeper(this, kept);
    }
    if (keep && kept.compareAndSet(null, ahead)) {
      if (closed) {
        // close() may have looked into the slot before this was in it.
        close();
      }
    } else {
      context.readAheads().giveBack(ahead);
    }
  }

  private void requireOpen() throws FallbackException {
    if (closed) {
      throw new FallbackException(FallbackReason.ACCESSOR_CLOSED, request.block().toString());
    }
  }
}
