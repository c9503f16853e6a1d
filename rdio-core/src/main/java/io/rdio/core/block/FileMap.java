// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.block;

import io.rdio.core.device.DeviceIdentity;
import io.rdio.core.device.Witness;
import io.rdio.core.extent.ExtentList;
import io.rdio.core.lease.Lease;

/**
 * Where the block file and the meta file of one replica lie, and until when that may be believed.
 * Immutable but for its lease and the CRCs that were read; safe for any number of threads.
 *
 * @param block what it maps
 * @param dataNode host:port of the metadata plane that granted it
 * @param storageId the DataNode's storage that holds the replica
 * @param device the device that extents count from
 * @param witness what that device must show before it is read by this map
 * @param blockLength bytes of the block file; {@code blockExtents} cover at least these
 * @param metaLength bytes of the meta file; {@code metaExtents} cover at least these
 * @param crcs what was read of the meta file
 */
public record FileMap(
    BlockKey block,
    String dataNode,
    String storageId,
    DeviceIdentity device,
    Witness witness,
    long blockLength,
    long metaLength,
    ExtentList blockExtents,
    ExtentList metaExtents,
    ChecksumSpec checksum,
    Lease lease,
    ChunkCrcs crcs) {

  /** A map of which nothing was read yet. */
  public FileMap(
      BlockKey block,
      String dataNode,
      String storageId,
      DeviceIdentity device,
      Witness witness,
      long blockLength,
      long metaLength,
      ExtentList blockExtents,
      ExtentList metaExtents,
      ChecksumSpec checksum,
      Lease lease) {
    this(
        block,
        dataNode,
        storageId,
        device,
        witness,
        blockLength,
        metaLength,
        blockExtents,
        metaExtents,
        checksum,
        lease,
        new ChunkCrcs());
  }

  /** Bytes of heap, less what maps of one DataNode share. */
  public int heapBytes() {
    return 64
        + 24
        + 56
        + 40
        + blockExtents.heapBytes()
        + metaExtents.heapBytes()
        + crcs.heapBytes();
  }
}
