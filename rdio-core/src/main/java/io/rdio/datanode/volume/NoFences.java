// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.volume;

import io.rdio.core.device.DeviceIdentity;
import io.rdio.core.fence.ReservationException;
import io.rdio.core.fence.ReservationException.Obstacle;
import java.nio.file.Path;
import java.util.OptionalLong;

/** Of a DataNode that reserves no device: nobody is shut out of one. */
public final class NoFences implements AgentFences {
  private static final String WHY = "this DataNode reserves no device";

  @Override
  public String unfenced(Path volumeRoot) {
    return WHY;
  }

  @Override
  public OptionalLong registered(Path volumeRoot, DeviceIdentity device, long agent) {
    return OptionalLong.of(NOBODY);
  }

  @Override
  public void shutOut(Path volumeRoot, DeviceIdentity device, long key)
      throws ReservationException {
    throw new ReservationException(Obstacle.UNSUPPORTED, volumeRoot + ": " + WHY);
  }
}
