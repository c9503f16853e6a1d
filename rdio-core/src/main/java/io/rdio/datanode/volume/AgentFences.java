// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.volume;

import io.rdio.core.FallbackException;
import io.rdio.core.device.DeviceIdentity;
import java.io.IOException;
import java.nio.file.Path;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Shuts hosts of agents out of volumes' devices, each by the key that it is registered by (W8 of
 * docs/remote-writes.md). Thread-safe.
 */
public interface AgentFences {
  /** No key: nobody can be shut out, and nobody need be registered. */
  long NOBODY = 0;

  /** Why no host can be shut out of a volume's device now; null if one can. Asks no device. */
  @Nullable String unfenced(Path volumeRoot);

  /**
   * By which key the host of an agent can be shut out. Asks the device.
   *
   * @param device of the volume
   * @param agent name of the agent's process, by which it makes its keys; 0 if it has none
   * @return {@link #NOBODY} where the device takes no reservations; empty if it does, and this host
   *     is not registered
   * @throws FallbackException WRITE_UNFENCED if it is not known whether a host can be shut out
   */
  OptionalLong registered(Path volumeRoot, DeviceIdentity device, long agent)
      throws FallbackException;

  /**
   * Shuts the host out that is registered by a key; does no harm where none is any more. When this
   * returns nothing that was sent under this key can reach the device.
   *
   * @param key that {@link #registered} gave, perhaps at an earlier start
   * @throws IOException if the device does not show that it is so; a {@link
   *     io.rdio.core.fence.ReservationException} UNSUPPORTED if it takes no reservations
   */
  void shutOut(Path volumeRoot, DeviceIdentity device, long key) throws IOException;
}
