// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.volume;

import io.rdio.core.FallbackException;
import io.rdio.core.device.DeviceIdentity;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Finds the device below a storage directory. */
@FunctionalInterface
public interface VolumeIdentifier {
  /**
   * Identity of the device that the directory's file system lies on.
   *
   * @throws FallbackException FILE_SYSTEM_UNSUPPORTED, DEVICE_UNSUPPORTED or VOLUME_UNFENCED
   */
  DeviceIdentity identify(Path volumeRoot) throws FallbackException;

  /**
   * Checks that no fence of another host is under way: no pin may go while it could still write.
   *
   * @throws FallbackException VOLUME_UNFENCED
   */
  default void requireFenced(Path volumeRoot) throws FallbackException {}

  /** Why nothing may be granted or renewed there now, or null. Asks no device. */
  default @Nullable FallbackException obstacle(Path volumeRoot) {
    return null;
  }

  /** Whether its device refuses other hosts' writes; null where nobody asked for that. */
  default @Nullable FenceStatus fence(Path volumeRoot) {
    return null;
  }
}
