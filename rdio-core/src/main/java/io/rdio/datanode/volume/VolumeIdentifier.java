// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.volume;

import io.rdio.core.FallbackException;
import io.rdio.core.device.DeviceIdentity;
import java.nio.file.Path;

/** Finds the device below a storage directory. */
@FunctionalInterface
public interface VolumeIdentifier {
  /**
   * Identity of the device that the directory's file system lies on.
   *
   * @throws FallbackException FILE_SYSTEM_UNSUPPORTED or DEVICE_UNSUPPORTED
   */
  DeviceIdentity identify(Path volumeRoot) throws FallbackException;
}
