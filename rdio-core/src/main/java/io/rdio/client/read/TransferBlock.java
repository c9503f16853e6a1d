// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import io.rdio.client.datacache.BlockDataCache;
import io.rdio.client.plane.FileMap;
import io.rdio.core.FallbackException;
import io.rdio.core.block.BlockRequest;
import io.rdio.core.block.ChecksumSpec;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A block that is read for somebody else, who verifies its bytes: the replica that is read at
 * present, another one when its map does not hold any more. Safe for any number of threads.
 */
public final class TransferBlock {
  private final ReadContext context;
  private final BlockRequest request;
  private final ChecksumSpec checksum;
  private final long length;
  private volatile MappedReplica replica;

  private TransferBlock(ReadContext context, BlockRequest request, MappedReplica replica) {
    this.context = context;
    this.request = request;
    this.checksum = replica.map().checksum();
    this.length = replica.map().blockLength();
    this.replica = replica;
  }

  /**
   * Finds the block's map and device; waits for a DataNode if need be.
   *
   * @throws FallbackException why the block cannot be read here
   */
  public static TransferBlock open(ReadContext context, BlockRequest request)
      throws FallbackException {
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

  /** The replica to read now; waits for a DataNode if the one of before cannot be read any more. */
  MappedReplica replica() throws FallbackException {
    MappedReplica now = replica;
    if (!now.isGuarded(context.clock())) {
      now = context.resolve(request, true, length);
      replica = now;
    }
    return now;
  }

  /**
   * For somebody who begins to read: a map that was recalled is replaced, as if it had run out.
   * Waits for a DataNode then.
   *
   * @throws FallbackException why there is no other one, as where the block was deleted
   */
  public void admit() throws FallbackException {
    if (!replica.map().guard().admits(context.clock().nanos())) {
      replica = context.resolve(request, true, length);
    }
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
   * Reads a chunk that somebody says is wrong from the device, and verifies it here. If it is
   * wrong, its map is rejected, so that what is read next is another replica. If it is right, and
   * not what the block data cache has of it, that goes.
   *
   * @return the map by which it was found wrong; null if it was not
   */
  public @Nullable FileMap recheck(long chunkAt) {
    if (!replica.verify() || chunkAt < 0 || chunkAt >= length) {
      return null;
    }
    long from = replica.chunkFloor(chunkAt);
    byte[] chunk = new byte[(int) (replica.chunkCeil(chunkAt + 1) - from)];
    try (BlockReader reader = ExtentReader.open(context.with(null), request, true, length)) {
      try {
        reader.read(from, chunk, 0, chunk.length);
        dropFalsified(from, chunk);
      } catch (FallbackException e) {
        // No replica has it right, or none can be read: the suspect tells which.
      }
      return reader.takeSuspect();
    } catch (FallbackException e) {
      return null;
    }
  }

  /** What was right when it was cached may not be any more: memory fails, too. */
  private void dropFalsified(long from, byte[] right) {
    BlockDataCache cache = context.dataCache();
    if (cache != null) {
      byte[] cached = new byte[right.length];
      int count = cache.read(request.block(), from, cached, 0, cached.length);
      if (!Arrays.equals(cached, 0, count, right, 0, count)) {
        cache.drop(replica.map());
      }
    }
  }

  @Override
  public String toString() {
    return request.block().toString();
  }
}
