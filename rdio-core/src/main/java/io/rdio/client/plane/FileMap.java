// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane;

import io.rdio.core.FallbackException;
import io.rdio.core.block.BlockKey;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.device.BlockDevice;
import io.rdio.core.device.DeviceDirectory;
import io.rdio.core.device.DeviceIdentity;
import io.rdio.core.extent.ExtentList;
import java.nio.ByteBuffer;

/**
 * Where the block file and the meta file of one replica lie. That is all it knows; whether it may
 * be believed is for its {@link Guard} to say. Immutable but for its guard and the CRCs that were
 * read; compared by identity; safe for any number of threads. Millions are cached: what maps have
 * in common is in their origin.
 */
public final class FileMap {
  /** Of a map and its key, which are its own, as its guard is. */
  private static final int OBJECT_BYTES = 48 + 32;

  private final BlockKey block;
  private final MapOrigin origin;
  private final long blockLength;
  private final ExtentList blockExtents;
  private final ExtentList metaExtents;
  private final Guard guard;
  private volatile ChunkCrcs crcs = ChunkCrcs.NONE;

  /**
   * A map of which nothing was read yet.
   *
   * @param block what it maps
   * @param blockLength bytes of the block file; {@code blockExtents} cover at least these
   * @param metaExtents cover at least what {@link ChecksumSpec#metaLength} says
   * @param guard of this map alone
   */
  public FileMap(
      BlockKey block,
      MapOrigin origin,
      long blockLength,
      ExtentList blockExtents,
      ExtentList metaExtents,
      Guard guard) {
    this.block = block;
    this.origin = origin;
    this.blockLength = blockLength;
    this.blockExtents = blockExtents;
    this.metaExtents = metaExtents;
    this.guard = guard;
  }

  public BlockKey block() {
    return block;
  }

  public MapOrigin origin() {
    return origin;
  }

  /** The DataNode that holds the replica, for messages: host:port. */
  public String dataNode() {
    return origin.dataNode();
  }

  /** The DataNode's storage that holds the replica. */
  public String storageId() {
    return origin.storageId();
  }

  /** The device that extents count from. */
  public DeviceIdentity device() {
    return origin.device();
  }

  /** That device on this host, as {@link Guard#resolve} says. */
  public BlockDevice resolve(DeviceDirectory devices) throws FallbackException {
    return guard.resolve(this, devices);
  }

  public ChecksumSpec checksum() {
    return origin.checksum();
  }

  /** Bytes of the block file. */
  public long blockLength() {
    return blockLength;
  }

  public ExtentList blockExtents() {
    return blockExtents;
  }

  public ExtentList metaExtents() {
    return metaExtents;
  }

  /** What says whether this map may be believed. */
  public Guard guard() {
    return guard;
  }

  /** What was read of the meta file and kept until now. */
  public ChunkCrcs crcs() {
    return crcs;
  }

  /**
   * Keeps a copy of a page of CRCs.
   *
   * @param page of those of {@link ChunkCrcs}
   * @param pages that the block has
   * @return false if there is one already, or the CRCs were dropped: then nothing is kept
   */
  public boolean keepCrcs(int page, int pages, ByteBuffer from, int at, int length) {
    return ownCrcs().keep(page, pages, from, at, length);
  }

  private synchronized ChunkCrcs ownCrcs() {
    if (crcs == ChunkCrcs.NONE) {
      crcs = new ChunkCrcs();
    }
    return crcs;
  }

  /**
   * Whether its CRCs were forgotten for good, as they are once it is kept in memory no more: then
   * nobody new reads by it, although its guard may pass for a while yet. Costs two volatile reads.
   */
  public boolean isDropped() {
    return crcs.isDropped();
  }

  /**
   * Forgets all CRCs, for good.
   *
   * @return their heap in bytes, as {@link ChunkCrcs#heapBytes(int)} counts it
   */
  public synchronized long dropCrcs() {
    if (crcs == ChunkCrcs.NONE) {
      crcs = ChunkCrcs.DROPPED;
    }
    return crcs.drop();
  }

  /** Bytes of heap, CRCs included, less its origin. */
  public int heapBytes() {
    return OBJECT_BYTES
        + guard.heapBytes()
        + blockExtents.heapBytes()
        + metaExtents.heapBytes()
        + crcs.heapBytes();
  }

  @Override
  public String toString() {
    return block + " on " + origin.dataNode() + ", " + origin.storageId();
  }
}
