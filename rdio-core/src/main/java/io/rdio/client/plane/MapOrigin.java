// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane;

import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.device.DeviceIdentity;

/**
 * What the file maps of one storage of a DataNode have in common; they share one object. A metadata
 * plane adds what its guards need of it. Immutable.
 */
public interface MapOrigin {
  /** The DataNode that holds the replicas, for messages: host:port. */
  String dataNode();

  /** The DataNode's storage that holds the replicas. */
  String storageId();

  /** The device that extents count from. */
  DeviceIdentity device();

  /** How the blocks are checksummed, and the shape of their meta files. */
  ChecksumSpec checksum();

  /** Whether bytes must be verified, also for readers who do without. */
  default boolean mustVerify() {
    return false;
  }
}
