// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.device;

import io.rdio.core.FallbackException;
import io.rdio.core.device.BlockDevice;
import java.util.List;

/** The devices of this host that have ext4 and may be somebody's volume. */
@FunctionalInterface
interface LocalVolumes {
  /**
   * Opens all of them, for reading.
   *
   * @throws FallbackException why none can be opened
   */
  List<BlockDevice> open() throws FallbackException;
}
