// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import io.rdio.client.datacache.BlockDataCache;
import io.rdio.client.plane.FileMap;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockRequest;
import io.rdio.core.device.DeviceIdentity;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The {@link BlockReader} of a client that opens the device itself. What a read does is in its
 * {@link ReadPlan}; here is the order in which it is done, and what follows when it fails: a read
 * is tried once more with a new map, perhaps of another replica. What is read ahead meanwhile is in
 * {@link KeptBetweenReads}. No lock is taken.
 */
public final class ExtentReader implements BlockReader {
  private final ReadContext context;
  private final BlockRequest request;
  private final long length;
  private final boolean positional;
  private final KeptBetweenReads kept;
  private final FailedReads failures;
  private final ReplicasBeside beside;
  private final PresentReplica present;
  private final FollowingBlock following;
  private final AtomicLong elsewhere = new AtomicLong();
  private volatile @Nullable SharedRun shared;
  private volatile int lead;

  /** Where the next read begins if it goes on from the last one. */
  private volatile long nextOffset = ReadPlan.NOWHERE;

  private ExtentReader(
      ReadContext context,
      BlockRequest request,
      boolean verifyChecksum,
      long length,
      boolean positional,
      MappedReplica replica) {
    this.context = context;
    this.request = request;
    this.length = length;
    this.positional = positional;
    this.kept = new KeptBetweenReads(context, request);
    this.present = new PresentReplica(context, request, verifyChecksum, length, replica);
    this.failures = new FailedReads(context, request, verifyChecksum, length);
    this.beside = new ReplicasBeside(context, request, verifyChecksum, length);
    this.following = new FollowingBlock(context, request, verifyChecksum);
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
    context.maps().requested(request.block());
    MappedReplica replica = context.resolve(request, verifyChecksum, visibleLength);
    BlocksAhead.Begun begun = context.blocksAhead().take(replica, visibleLength);
    if (begun == null) {
      return new ExtentReader(context, request, verifyChecksum, visibleLength, false, replica);
    }
    ExtentReader reader =
        new ExtentReader(context, request, verifyChecksum, visibleLength, false, begun.replica());
    reader.kept.giveBack(begun.ahead(), true);
    return reader;
  }

  /**
   * A reader for reads that have nothing to do with each other: none leads to another, and each
   * begins anew, by the map that is here then, as if a reader were opened for it alone. So each is
   * a request for the map, and this is none.
   *
   * @param visibleLength as of {@link #open}
   * @throws FallbackException why stock HDFS must serve this block
   */
  public static ExtentReader openPositional(
      ReadContext context, BlockRequest request, boolean verifyChecksum, long visibleLength)
      throws FallbackException {
    return new ExtentReader(
        context,
        request,
        verifyChecksum,
        visibleLength,
        true,
        context.resolve(request, verifyChecksum, visibleLength));
  }

  @Override
  public long length() {
    return length;
  }

  @Override
  public long searchNanos() {
    return beside.searchNanos();
  }

  @Override
  public DeviceIdentity deviceIdentity() {
    return present.get().map().device();
  }

  @Override
  public @Nullable FileMap takeSuspect() {
    return failures.takeSuspect();
  }

  /** Leaves ranges of this reader's runs to a second way, from its next read on. */
  public void share(SharedRun with) {
    shared = with;
  }

  /**
   * Says whether a run will most probably go on by the device in the block behind this one: nothing
   * of that is read ahead where it will not. It will until this is said.
   */
  public void goesOnByDevice(boolean probably) {
    following.goesOnByDevice(probably);
  }

  /** How long the device would take for so many bytes now, in nanoseconds; 0 if unknown. */
  public long deviceNanos(int bytes) {
    return (long) present.get().device().backlog().nanosOf(bytes);
  }

  /**
   * Says that bytes came by another way. If they are those behind the last read, the run goes on
   * behind them, with what was read ahead of it: else their reader would seem to have gone
   * elsewhere, and all of that would be read in vain.
   */
  public void cameElsewhere(long offset, int count) {
    if (offset == nextOffset) {
      nextOffset = offset + count;
      elsewhere.addAndGet(count);
      prepareNext(present.get());
    }
  }

  @Override
  public void read(long offset, byte[] target, int at, int count) throws FallbackException {
    read(Piece.ofThread().of(offset, target, at, count), begins());
  }

  /** Goes straight to the caller's memory where it is direct and all is aligned. */
  @Override
  public void read(long offset, ByteBuffer target, int at, int count) throws FallbackException {
    read(Piece.ofThread().of(offset, target, at, count), begins());
  }

  /**
   * The same for a reader that is {@linkplain #openPositional positional}, where the block's map is
   * here.
   *
   * @return false where it is not, and would have to be waited for: then nothing was read
   */
  public boolean readMapped(long offset, byte[] target, int at, int count)
      throws FallbackException {
    long now = context.clock().nanos();
    boolean isMapped = present.isMapped(now);
    if (isMapped) {
      read(Piece.ofThread().of(offset, target, at, count), now);
    }
    return isMapped;
  }

  /** The same to a buffer. */
  public boolean readMapped(long offset, ByteBuffer target, int at, int count)
      throws FallbackException {
    long now = context.clock().nanos();
    boolean isMapped = present.isMapped(now);
    if (isMapped) {
      read(Piece.ofThread().of(offset, target, at, count), now);
    }
    return isMapped;
  }

  /** When a read begins, as far as it matters: a stream's may be here, and asks only if not. */
  private long begins() {
    return positional ? context.clock().nanos() : 0;
  }

  /** By what a read begins that was called for at a time. */
  private MappedReplica replica(long now) throws FallbackException {
    if (!positional) {
      return present.get();
    }
    context.maps().requested(request.block());
    return present.ofNow(now);
  }

  @SuppressWarnings("ReferenceEquality") // Another object is another lease.
  private void read(Piece piece, long now) throws FallbackException {
    try {
      MappedReplica known = present.get();
      MappedReplica from = replica(now);
      // Another map may have been waited for, or its device.
      readRetrying(from, piece, from == known ? now : context.clock().nanos());
    } finally {
      piece.release();
    }
    context.counters().rdioReads.increment();
    context.counters().rdioBytes.add(piece.count());
  }

  private void readRetrying(MappedReplica first, Piece piece, long begun) throws FallbackException {
    MappedReplica from = first;
    long now = begun;
    List<FileMap> wrong = List.of();
    for (int tries = 1; ; tries++) {
      boolean leaseHeld = false;
      try {
        ReadAhead keptAhead = kept.take();
        if (keptAhead == null || !readHere(keptAhead, from, piece)) {
          now = positional ? now : context.clock().nanos();
          leaseHeld = from.isGuarded(now);
          readOnce(keptAhead, from, piece, now);
        }
        break;
      } catch (FallbackException e) {
        // Idle for longer than a lease: nothing failed, a new map is all it takes.
        boolean sleptOver = tries == 1 && !leaseHeld && e.reason() == FallbackReason.LEASE_EXPIRED;
        MappedReplica failed = piece.lastReadBy(from);
        if (!sleptOver && !failures.leaveHope(failed, e.reason(), tries)) {
          throw e; // and nobody is suspected: where all look bad, this host may be what is bad
        }
        wrong = FailedReads.with(wrong, failed.map(), e.reason());
        beside.forget();
        piece.restart();
        if (isStillGood(from, failed)) {
          now = context.clock().nanos();
          continue;
        }
      }
      from = present.renew();
      now = context.clock().nanos();
    }
    failures.suspect(wrong);
  }

  @SuppressWarnings("ReferenceEquality") // Another object is another lease.
  private boolean isStillGood(MappedReplica from, MappedReplica failed) {
    return failed != from && from.isGuarded(context.clock().nanos());
  }

  /**
   * Reads a piece that is all in the window that the run has come to; else does nothing.
   *
   * <p>No lease is looked at here, and none need be: the window's was before its bytes were read
   * and behind that ({@link ReadWindow#complete}), and what was the block's then is so for good;
   * each chunk is verified before a byte of it is handed out, now or before. Nor is it planned: a
   * run whose windows are kept has a budget, and its next fetch asks for another.
   *
   * @param ahead what was kept; it is given back, or kept on, if this has read
   * @return whether it has
   */
  private boolean readHere(ReadAhead ahead, MappedReplica from, Piece piece)
      throws FallbackException {
    ahead.spreadOver(beside.known());
    if (!ahead.holdsAll(from, piece)) {
      return false;
    }
    boolean keep = false;
    try {
      ahead.current().copy(piece);
      goOnFrom(piece.end());
      keep = piece.end() < length;
    } finally {
      piece.readBy(ahead.lastReadBy());
      kept.giveBack(ahead, keep);
    }
    return true;
  }

  /**
   * Reads a piece in any other way.
   *
   * @param keptAhead what was kept from the last read; null for nothing
   * @param now when this began, on the clock that guards run on; nothing was waited for since
   */
  private void readOnce(@Nullable ReadAhead keptAhead, MappedReplica from, Piece piece, long now)
      throws FallbackException {
    if (ReadPlan.asksCache(keptAhead != null) && isAllCached(from, piece)) {
      goOnFrom(piece.end());
      return;
    }
    ReadAhead ahead = ahead(keptAhead, from, now);
    ahead.session().queue().resume();
    boolean keep = false;
    try {
      ahead.plan(from, piece, positional ? piece.end() : length, nextOffset);
      ahead.share(shared, elsewhere.get());
      readAndKeep(ahead, from, piece);
      ahead.spreadOver(beside.known());
      while (!piece.isDone()) {
        readNext(ahead, from, piece);
      }
      goOnFrom(piece.end());
      keep = ahead.plan().keepsAhead();
      lead = ahead.plan().lead();
    } finally {
      piece.readBy(ahead.lastReadBy());
      kept.giveBack(ahead, keep);
    }
    prepareNext(from);
  }

  private void prepareNext(MappedReplica from) {
    int near = lead;
    if (near > 0 && length == from.map().blockLength()) {
      following.prepare(length - nextOffset, near);
    }
  }

  private void goOnFrom(long end) {
    if (!positional) {
      nextOffset = end;
    }
  }

  /** Copies what the block data cache has of a read; whether that is all. */
  private boolean isAllCached(MappedReplica from, Piece piece) throws FallbackException {
    BlockDataCache cache = context.dataCache();
    if (cache != null) {
      kept.requireOpen();
      CachedReads.copy(cache, from, context.clock().nanos(), piece);
    }
    return piece.isDone();
  }

  /** What a read goes on with, which knows when that began, as far as it has waited for nothing. */
  private ReadAhead ahead(@Nullable ReadAhead keptAhead, MappedReplica from, long now)
      throws FallbackException {
    if (keptAhead == null) {
      // The cache may have been waited for, as long as its file takes.
      return kept.borrow(from, context.dataCache() == null ? now : context.clock().nanos());
    }
    keptAhead.session().begunAt(now);
    return keptAhead;
  }

  /** Reads whole chunks for the block data cache, if this read is to and the cache admits them. */
  private void readAndKeep(ReadAhead ahead, MappedReplica from, Piece piece)
      throws FallbackException {
    BlockDataCache cache = context.dataCache();
    if (cache != null && ahead.plan().fillsCache()) {
      kept.requireOpen();
      from.device().requireAnswering();
      ahead.spreadOver(ReplicaSpread.NONE); // what is cached is cached by one map
      CachedReads.readAndKeep(cache, ahead, from, piece);
    }
  }

  /** Brings the next byte, and as many behind it as come with it. */
  private void readNext(ReadAhead ahead, MappedReplica from, Piece piece) throws FallbackException {
    if (!ahead.holds(from, piece.offset())) {
      kept.requireOpen();
      from.device().requireAnswering();
      if (ahead.readInPlace(from, piece)) {
        return;
      }
      ahead.spreadOver(beside.look(from, ahead.session()));
      ahead.fetch(from, piece);
    }
    ahead.current().copy(piece);
  }

  /** {@inheritDoc} What was read ahead goes back as {@link KeptBetweenReads#close} says. */
  @Override
  public void close() {
    kept.close();
  }
}
