// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.write;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.device.DeviceIdentity;
import io.rdio.core.device.DevicePlace;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A host that sees the devices of some DataNodes. */
final class FakeDirectory extends NoDevices {
  final List<DeviceIdentity> forgotten = new CopyOnWriteArrayList<>();
  private final Collection<FakeDataNode> nodes;

  FakeDirectory(Collection<FakeDataNode> nodes) {
    this.nodes = nodes;
  }

  @Override
  public DevicePlace place(DeviceIdentity identity) throws FallbackException {
    for (FakeDataNode node : nodes) {
      if (node.device.equals(identity)) {
        return node.place;
      }
    }
    throw new FallbackException(FallbackReason.DEVICE_NOT_FOUND, identity.toString());
  }

  @Override
  public void forget(DeviceIdentity identity) {
    forgotten.add(identity);
  }
}
