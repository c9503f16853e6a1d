// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane;

import io.rdio.core.block.BlockKey;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.device.DeviceIdentity;
import io.rdio.core.device.MappedDevice;
import io.rdio.core.extent.ExtentList;
import java.nio.ByteBuffer;

/**
 * Where the block file and the meta file of one replica lie, and until when that may be believed.
 * Immutable but for its lease and the CRCs that were read; compared by identity; safe for any
 * number of threads. Millions are cached: what maps have in common is in their origin.
 */
public final class FileMap implements MappedDevice {
  /** Of a map, its key and its lease, which are its own. */
  private static final int OBJECT_BYTES = 56 + 32 + 48;

  private final BlockKey block;
  private final MapOrigin origin;
  private final long witnessCount;
  private final long blockLength;
  private final ExtentList blockExtents;
  private final ExtentList metaExtents;
  private final Lease lease;
  private volatile ChunkCrcs crcs = ChunkCrcs.NONE;

  /**
   * A map of which nothing was read yet.
   *
   * @param block what it maps
   * @param witnessCount of the witness that the device must show before it is read by this map
   * @param blockLength bytes of the block file; {@code blockExtents} cover at least these
   * @param metaExtents cover at least what {@link ChecksumSpec#metaLength} says
   */
  public FileMap(
      BlockKey block,
      MapOrigin origin,
      long witnessCount,
      long blockLength,
      ExtentList blockExtents,
      ExtentList metaExtents,
      Lease lease) {
    this.block = block;
    this.origin = origin;
    this.witnessCount = witnessCount;
    this.blockLength = blockLength;
    this.blockExtents = blockExtents;
    this.metaExtents = metaExtents;
    this.lease = lease;
  }

  public BlockKey block() {
    return block;
  }

  public MapOrigin origin() {
    return origin;
  }

  /** Host:port of the metadata plane that granted it. */
  public String dataNode() {
    return origin.dataNode();
  }

  /** The DataNode's storage that holds the replica. */
  public String storageId() {
    return origin.storageId();
  }

  @Override
  public DeviceIdentity device() {
    return origin.device();
  }

  @Override
  public long witnessOffset() {
    return origin.witnessOffset();
  }

  @Override
  public long witnessNonce() {
    return origin.witnessNonce();
  }

  @Override
  public long witnessCount() {
    return witnessCount;
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

  public Lease lease() {
    return lease;
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
    return OBJECT_BYTES + blockExtents.heapBytes() + metaExtents.heapBytes() + crcs.heapBytes();
  }

  @Override
  public String toString() {
    return block + " on " + origin.dataNode() + ", " + origin.storageId();
  }
}
