// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.read;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.FileMap;
import io.rdio.core.device.BlockDevice;
import io.rdio.core.filemap.BlockRequest;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Reads one block from the device. Bytes that it hands out were read under a lease that was valid
 * before and after, and match their CRC.
 *
 * <p>Sequential reads are served from a window that is kept from read to read and grows as the run
 * goes on; other reads fetch what they need and keep nothing. A read that fails is tried once more
 * with a new map, perhaps of another replica.
 *
 * <p>Safe for any number of threads. No lock is taken: whoever reads owns the window that it reads
 * with, and the kept one belongs to whoever took it out of its slot. That is also why {@link
 * #close} may come at any time, and twice.
 */
public final class ExtentReader implements AutoCloseable {
  /** First window of a sequential run of small reads; the next is larger by the factor below. */
  private static final int FIRST_WINDOW = 64 << 10;

  private static final int WINDOW_GROWTH = 4;
  private static final long NOWHERE = -1;

  /** With one map, and once more with another. */
  private static final int MAX_READ_TRIES = 2;

  /** As many replicas as a block usually has. */
  private static final int MAX_RESOLVE_TRIES = 3;

  private final ReadContext context;
  private final BlockRequest request;
  private final boolean verifyChecksum;
  private final long length;
  private final AtomicReference<@Nullable ReadWindow> kept = new AtomicReference<>();
  private final AtomicReference<@Nullable FileMap> suspect = new AtomicReference<>();
  private volatile MappedReplica replica;
  private volatile boolean closed;

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
    MappedReplica replica = resolve(context, request, verifyChecksum, visibleLength);
    return new ExtentReader(context, request, verifyChecksum, visibleLength, replica);
  }

  /** Bytes that can be read: offsets {@code [0, length())}. */
  public long length() {
    return length;
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

  /** Gives the kept window back; reads under way end with their next piece. Idempotent. */
  @Override
  public void close() {
    closed = true;
    ReadWindow window = kept.getAndSet(null);
    if (window != null) {
      window.release();
    }
  }

  private <T> void readRetrying(
      long offset, Destination<T> destination, T target, int at, int count)
      throws FallbackException {
    MappedReplica from = replica;
    for (int tries = 1; ; tries++) {
      boolean leaseHeld = from.leaseValid(context.clock());
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
      from = resolve(context, request, verifyChecksum, length);
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
      default -> {
        return false;
      }
    }
    context.maps().reject(map, reason);
    return true;
  }

  /** A map that can be read here; one of another replica if this host does not see the first. */
  private static MappedReplica resolve(
      ReadContext context, BlockRequest request, boolean verifyChecksum, long length)
      throws FallbackException {
    for (int tries = 1; ; tries++) {
      FileMap map = context.maps().get(request);
      try {
        BlockDevice device = context.devices().resolve(map.device(), map.witness());
        return MappedReplica.of(
            map, device, verifyChecksum, length, context.windows().largestWindow());
      } catch (FallbackException e) {
        if (!isFaultOfMap(e.reason())) {
          throw e;
        }
        context.maps().reject(map, e.reason());
        if (tries == MAX_RESOLVE_TRIES) {
          throw e;
        }
      }
    }
  }

  private static boolean isFaultOfMap(FallbackReason reason) {
    return switch (reason) {
      case DEVICE_NOT_FOUND,
          DEVICE_AMBIGUOUS,
          DEVICE_PERMISSION,
          DEVICE_MISMATCH,
          DEVICE_IO_ERROR,
          DEVICE_UNSUPPORTED,
          REPLICA_CHANGED,
          METADATA_PLANE_ERROR ->
          true;
      default -> false;
    };
  }

  private <T> void readOnce(
      MappedReplica from, long offset, Destination<T> destination, T target, int at, int count)
      throws FallbackException {
    ReadWindow window = kept.getAndSet(null);
    int keepable = isSequential(window, offset, count) ? keepable(window, count) : 0;
    boolean good = false;
    try {
      int done = 0;
      while (done < count) {
        long next = offset + done;
        int rest = count - done;
        if (window == null || !window.holds(next)) {
          requireOpen();
          int size = Math.max(keepable, needed(from, next, rest));
          if (window == null || window.size() < size) {
            ReadWindow tooSmall = window;
            window = null;
            window = exchange(tooSmall, from, size);
          }
          boolean ahead = window.size() <= keepable;
          long end = ahead ? length : offset + count;
          if (!ahead || rest >= window.size()) {
            int direct =
                destination.readDirect(
                    window, from, next, target, at + done, rest, end, context.clock());
            if (direct > 0) {
              done += direct;
              continue;
            }
          }
          window.fill(from, next, end, end, context.clock());
        }
        done += destination.copy(window, next, target, at + done, rest);
      }
      nextOffset = offset + count;
      good = true;
    } finally {
      if (window != null) {
        boolean atEnd = offset + count == length;
        giveBack(window, good && !atEnd && window.size() <= keepable);
      }
    }
  }

  /**
   * Whether the caller will probably go on behind this read: it goes on from the last one, or skips
   * less than a first window, or within the window, or begins and leaves bytes for later (a
   * positional read asks for all that it wants at once).
   */
  private boolean isSequential(@Nullable ReadWindow window, long offset, int count) {
    long expected = nextOffset;
    return (expected != NOWHERE && offset >= expected && offset - expected < FIRST_WINDOW)
        || (window != null && window.holds(offset))
        || (expected == NOWHERE && offset + count < length);
  }

  /** Size of the window to read ahead with and to keep; 0 where memory is too scarce for one. */
  private int keepable(@Nullable ReadWindow window, int count) {
    long grown = (long) WINDOW_GROWTH * Math.max(count, window == null ? 0 : window.size());
    return context.windows().keepable(Math.max(FIRST_WINDOW, grown), window);
  }

  /** Size of a window that holds the range in whole chunks, or else the largest. */
  private int needed(MappedReplica from, long offset, int count) {
    long widened = from.chunkCeil(offset + count) - from.chunkFloor(offset);
    return (int)
        Math.min(Math.max(widened, from.largestChunk()), context.windows().largestWindow());
  }

  private ReadWindow exchange(@Nullable ReadWindow old, MappedReplica from, int size)
      throws FallbackException {
    if (old != null) {
      old.release();
    }
    return context.windows().borrow(size, from.largestChunk());
  }

  private void giveBack(ReadWindow window, boolean keep) {
    if (keep && kept.compareAndSet(null, window)) {
      if (closed) {
        // close() may have looked into the slot before the window was in it.
        close();
      }
    } else {
      window.release();
    }
  }

  private void requireOpen() throws FallbackException {
    if (closed) {
      throw new FallbackException(FallbackReason.ACCESSOR_CLOSED, request.block().toString());
    }
  }
}
