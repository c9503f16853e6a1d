// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.allocate;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.device.DeviceIdentity;
import io.rdio.core.fence.HostKey;
import io.rdio.core.fence.ReservationException;
import io.rdio.core.fence.ReservationException.Obstacle;
import io.rdio.core.write.UnregisteredHostException;
import io.rdio.datanode.volume.AgentFences;
import java.io.IOException;
import java.nio.file.Path;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Rule W8: slots are lent to hosts that can be shut out, and a host that may still write to one is
 * shut out before that is anybody else's. Where the target cannot, and that is not demanded, time
 * alone has to do. Thread-safe.
 */
final class WriteFence {
  private final WriteConfig config;
  private final AgentFences fences;

  WriteFence(WriteConfig config, AgentFences fences) {
    this.config = config;
    this.fences = fences;
  }

  private boolean isDemanded() {
    return config.fencing() == WriteConfig.Fencing.DEMANDED;
  }

  /** Why nothing is lent on a volume, to whomever; null if something may be. Asks no device. */
  @Nullable FallbackException obstacle(Path volumeRoot) {
    String why = isDemanded() ? fences.unfenced(volumeRoot) : null;
    return why == null
        ? null
        : new FallbackException(FallbackReason.WRITE_UNFENCED, volumeRoot + ": " + why);
  }

  /**
   * The key by which the host that asks can be shut out of a volume's device; {@link
   * AgentFences#NOBODY} if it cannot, and need not be. Asks the device.
   *
   * @param agent as {@link AllocateCommand#hostKey}
   * @throws FallbackException WRITE_UNFENCED; an {@link UnregisteredHostException} if the host has
   *     to be registered first
   */
  long keyOf(long agent, Path volumeRoot, DeviceIdentity device) throws FallbackException {
    OptionalLong key = fences.registered(volumeRoot, device, agent);
    if (key.isEmpty()) {
      throw new UnregisteredHostException(
          device, config.ioMillis(), volumeRoot + ": the host is not registered with its device");
    }
    if (key.getAsLong() == AgentFences.NOBODY && isDemanded()) {
      throw new FallbackException(
          FallbackReason.WRITE_UNFENCED, volumeRoot + ": its device takes no reservations");
    }
    return key.getAsLong();
  }

  /** Of a host that will be shut out of a device by the key that it is registered by. */
  UnregisteredHostException doomed(Path volumeRoot, DeviceIdentity device, long key) {
    return new UnregisteredHostException(
        device,
        config.ioMillis(),
        key,
        volumeRoot
            + ": the host will be shut out of its device, by its present key "
            + HostKey.text(key)
            + ", for it is not known that a slot of before is quiet");
  }

  /**
   * Makes sure that nothing can come any more that was sent under a key.
   *
   * @throws IOException if that is not sure: the slot stays as it is
   */
  void shutOut(Path volumeRoot, DeviceIdentity device, long key) throws IOException {
    try {
      fences.shutOut(volumeRoot, device, key);
    } catch (ReservationException e) {
      // Fences were switched off since, or the target has none any more.
      if (isDemanded() || e.obstacle() != Obstacle.UNSUPPORTED) {
        throw e;
      }
    }
  }
}
