// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.write;

import io.rdio.core.device.BlockDevice;
import io.rdio.core.device.DeviceDirectory;
import io.rdio.core.device.DeviceIdentity;
import io.rdio.core.device.WitnessedDevice;
import java.util.List;

/** A host that only knows where its devices are: nobody reads from them. */
abstract class NoDevices implements DeviceDirectory {
  @Override
  public BlockDevice resolve(WitnessedDevice wanted, long count) {
    throw new UnsupportedOperationException();
  }

  @Override
  public BlockDevice resolve(DeviceIdentity identity) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void forget(DeviceIdentity identity) {}

  @Override
  public List<String> lookAlikes(DeviceIdentity identity) {
    return List.of();
  }

  @Override
  public List<Candidate> candidates() {
    return List.of();
  }

  @Override
  public void close() {}
}
