// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane;

import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.device.DeviceIdentity;

/**
 * What the file maps of one storage of a DataNode have in common; they share one object.
 *
 * @param dataNode host:port of the metadata plane that granted them
 * @param incarnation of the DataNode plugin that did
 * @param storageId the DataNode's storage that holds the replicas
 * @param device the device that extents count from
 * @param witnessOffset where that device has its {@link io.rdio.core.device.Witness}, in bytes
 * @param witnessNonce which it had then
 */
public record MapOrigin(
    String dataNode,
    long incarnation,
    String storageId,
    DeviceIdentity device,
    long witnessOffset,
    long witnessNonce,
    ChecksumSpec checksum) {}
