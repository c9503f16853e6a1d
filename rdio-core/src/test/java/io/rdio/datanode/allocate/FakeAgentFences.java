// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.allocate;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.device.DeviceIdentity;
import io.rdio.core.fence.ReservationException;
import io.rdio.core.fence.ReservationException.Obstacle;
import io.rdio.datanode.volume.AgentFences;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** A device's registrations in memory, as its DataNode sees them. For one thread. */
final class FakeAgentFences implements AgentFences {
  /** By which key the host of each agent is registered, by the agent's name. */
  final Map<Long, Long> keys = new HashMap<>();

  /** Who was shut out, in order. */
  final List<Long> shutOut = new ArrayList<>();

  /** Why the device is not reserved; null: it is. */
  @Nullable String obstacle;

  /** Why nobody is shut out. */
  @Nullable Obstacle failure;

  boolean unsupported;

  /** A volume on whose device nobody is registered. */
  @Nullable Path strange;

  @Override
  public @Nullable String unfenced(Path volumeRoot) {
    return obstacle;
  }

  @Override
  public OptionalLong registered(Path volumeRoot, DeviceIdentity device, long agent)
      throws FallbackException {
    if (unsupported) {
      return OptionalLong.of(NOBODY);
    }
    String why = obstacle;
    if (why != null) {
      throw new FallbackException(FallbackReason.WRITE_UNFENCED, why);
    }
    Long key = volumeRoot.equals(strange) ? null : keys.get(agent);
    return key == null ? OptionalLong.empty() : OptionalLong.of(key);
  }

  @Override
  public void shutOut(Path volumeRoot, DeviceIdentity device, long key)
      throws ReservationException {
    Obstacle no = failure;
    if (no != null) {
      throw new ReservationException(no, "by the test");
    }
    shutOut.add(key);
    keys.values().removeIf(each -> each == key);
  }
}
