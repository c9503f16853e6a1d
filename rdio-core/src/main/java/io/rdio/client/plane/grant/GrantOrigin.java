// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.grant;

import io.rdio.client.plane.FileMap;
import io.rdio.client.plane.MapOrigin;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.device.DeviceIdentity;
import io.rdio.core.device.WitnessedDevice;

/**
 * What the maps have in common that one incarnation of a DataNode granted of one storage.
 *
 * @param endpoint host:port of the metadata plane that granted them
 * @param incarnation of the DataNode plugin that did
 * @param witnessOffset where the device has its {@link io.rdio.core.device.Witness}, in bytes
 * @param witnessNonce which it had then
 */
public record GrantOrigin(
    String endpoint,
    long incarnation,
    String storageId,
    DeviceIdentity device,
    long witnessOffset,
    long witnessNonce,
    ChecksumSpec checksum)
    implements MapOrigin, WitnessedDevice {
  /** That of a map that was granted. */
  static GrantOrigin of(FileMap map) {
    return (GrantOrigin) map.origin();
  }

  @Override
  public String dataNode() {
    return endpoint;
  }
}
