// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import io.rdio.client.datacache.BlockDataCache;
import io.rdio.client.plane.FileMap;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackPolicy.MapVerdict;
import io.rdio.core.block.BlockRequest;
import io.rdio.core.block.ChecksumSpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A block that is read for somebody else, who verifies its bytes: the replica that is read at
 * present, another one when its map does not hold any more, and those beside it where maps of
 * several are kept. Safe for any number of threads.
 */
public final class TransferBlock {
  private final ReadContext context;
  private final BlockRequest request;
  private final ChecksumSpec checksum;
  private final long length;
  private final ReplicasBeside beside;
  private volatile MappedReplica replica;

  private TransferBlock(ReadContext context, BlockRequest request, MappedReplica replica) {
    this.context = context;
    this.request = request;
    this.checksum = replica.map().checksum();
    this.length = replica.map().blockLength();
    this.beside = new ReplicasBeside(context, request, true, length);
    this.replica = replica;
  }

  /**
   * Finds the block's map and device; waits for a DataNode if need be.
   *
   * @throws FallbackException why the block cannot be read here
   */
  public static TransferBlock open(ReadContext context, BlockRequest request)
      throws FallbackException {
    context.maps().requested(request.block());
    return new TransferBlock(context, request, context.resolve(request, true, 0));
  }

  /** Bytes of the block. */
  public long length() {
    return length;
  }

  /** How its bytes are protected. */
  public ChecksumSpec checksum() {
    return checksum;
  }

  /**
   * The replica to read; waits for a DataNode if the one of before cannot be read any more.
   *
   * @param by what it is read by, which is told of that wait
   */
  MappedReplica replica(ReadSession by) throws FallbackException {
    MappedReplica present = replica;
    if (present.isGuarded(by.nowNanos())) {
      return present;
    }
    by.hasWaited();
    return resolve();
  }

  private MappedReplica resolve() throws FallbackException {
    MappedReplica found = context.resolve(request, true, length);
    replica = found;
    return found;
  }

  /**
   * The replicas beside that one which may be read as well.
   *
   * @param by as of {@link #replica}
   */
  MappedReplica[] beside(MappedReplica own, ReadSession by) {
    return beside.look(own, by);
  }

  /** Draws the conclusions from a read by one of them that failed. */
  void failed(MappedReplica by, FallbackException failure) {
    if (failure.reason().policy().mapVerdict() != MapVerdict.SUSPECT) {
      context.reject(by.map(), failure.reason());
      beside.forget();
    }
  }

  /**
   * For somebody who begins to read: a map that was recalled is replaced, as if it had run out.
   * Waits for a DataNode then.
   *
   * @throws FallbackException why there is no other one, as where the block was deleted
   */
  public void admit() throws FallbackException {
    if (!replica.map().guard().admits(context.clock().nanos())) {
      resolve();
    }
    beside.forget(); // theirs may have been recalled, too
  }

  /**
   * Whether a range lies in the block and, where CRCs are wanted, begins with a chunk and ends with
   * one.
   */
  public boolean isWholeChunks(long from, int count, boolean withCrcs) {
    if (from < 0 || count < 1 || from > length - count) {
      return false;
    }
    MappedReplica now = replica;
    return !withCrcs
        || (now.chunkFloor(from) == from && now.chunkCeil(from + count) == from + count);
  }

  /** Bytes of the CRCs of such a range. */
  public long crcBytes(long from, int count) {
    MappedReplica now = replica;
    return now.verify() ? now.crcEnd(from + count) - now.crcPosition(from) : 0;
  }

  /** What is read. */
  public BlockRequest request() {
    return request;
  }

  /**
   * Reads a chunk that somebody says is wrong from the device, and verifies it here: by each
   * replica that it may have been read by. The map of one that is wrong is rejected, so that what
   * is read next is another replica. Where it is right, and not what the block data cache has of
   * it, that goes.
   *
   * @return the maps by which it was found wrong
   */
  public List<FileMap> recheck(long chunkAt) {
    List<FileMap> wrong = new ArrayList<>(1);
    try {
      ReadSession by = ReadAheadPool.noQueue();
      by.lend(context.clock());
      MappedReplica own = replica(by);
      if (own.verify() && chunkAt >= 0 && chunkAt < length) {
        recheck(own, chunkAt, wrong);
        for (MappedReplica other : beside.look(own, by)) {
          recheck(other, chunkAt, wrong);
        }
      }
    } catch (FallbackException e) {
      // None can be read any more.
    }
    if (!wrong.isEmpty()) {
      beside.forget();
    }
    return wrong;
  }

  private void recheck(MappedReplica by, long chunkAt, List<FileMap> wrong) {
    long from = by.chunkFloor(chunkAt);
    byte[] chunk = new byte[(int) (by.chunkCeil(chunkAt + 1) - from)];
    try {
      readChunk(by, from, chunk);
      dropFalsified(by, from, chunk);
    } catch (FallbackException e) {
      if (context.reject(by.map(), e.reason()) == MapVerdict.SUSPECT) {
        wrong.add(by.map());
      }
    }
  }

  private void readChunk(MappedReplica by, long from, byte[] chunk) throws FallbackException {
    by.device().requireAnswering();
    ReadAhead ahead = context.readAheads().borrow(context.clock());
    Piece piece = Piece.ofThread().of(from, chunk, 0, chunk.length);
    try {
      ahead.plan(by, piece, piece.end(), ReadPlan.NOWHERE);
      while (!piece.isDone()) {
        ahead.fetch(by, piece);
        ahead.current().copy(piece);
      }
    } finally {
      piece.release();
      context.readAheads().giveBack(ahead);
    }
  }

  /** What was right when it was cached may not be any more: memory fails, too. */
  private void dropFalsified(MappedReplica by, long from, byte[] right) {
    BlockDataCache cache = context.dataCache();
    if (cache != null) {
      byte[] cached = new byte[right.length];
      int count = cache.read(by.map(), from, cached, 0, cached.length);
      if (!Arrays.equals(cached, 0, count, right, 0, count)) {
        cache.drop(by.map());
      }
    }
  }

  @Override
  public String toString() {
    return request.block().toString();
  }
}
