// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.grant;

import io.rdio.core.block.BlockKey;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.device.DeviceIdentity;
import io.rdio.core.device.Witness;
import io.rdio.core.extent.ExtentList;

/**
 * What a grant says of a pinned block: the same for every holder, the lease apart.
 *
 * @param witness written to the device after the block was pinned
 * @param blockLength bytes of the block file
 * @param metaLength bytes of the meta file
 */
public record PinnedMap(
    BlockKey block,
    String storageId,
    DeviceIdentity device,
    Witness witness,
    long blockLength,
    long metaLength,
    ExtentList blockExtents,
    ExtentList metaExtents,
    ChecksumSpec checksum) {

  /** The same map, of the device as it is by now. */
  PinnedMap on(DeviceIdentity now) {
    return new PinnedMap(
        block,
        storageId,
        now,
        witness,
        blockLength,
        metaLength,
        blockExtents,
        metaExtents,
        checksum);
  }

  /** The same map with equal names. */
  PinnedMap named(BlockKey equalBlock, String equalStorageId) {
    return new PinnedMap(
        equalBlock,
        equalStorageId,
        device,
        witness,
        blockLength,
        metaLength,
        blockExtents,
        metaExtents,
        checksum);
  }
}
