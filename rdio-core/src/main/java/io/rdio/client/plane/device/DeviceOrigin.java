// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.device;

import io.rdio.client.plane.MapOrigin;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.device.DeviceIdentity;

/**
 * What the maps have in common that were read from one storage's device.
 *
 * @param dataNode that the NameNode names as its holder, which was not asked
 */
public record DeviceOrigin(
    String dataNode, String storageId, DeviceIdentity device, ChecksumSpec checksum)
    implements MapOrigin {
  /**
   * {@inheritDoc} A finalized block need not have been written back whole, so its last page may
   * have zeros on the device where the DataNode has bytes.
   */
  @Override
  public boolean mustVerify() {
    return true;
  }
}
