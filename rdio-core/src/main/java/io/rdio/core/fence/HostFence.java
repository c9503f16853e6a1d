// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.fence;

import java.io.IOException;

/**
 * Shuts other hosts out of one device, each by the key that it is registered by. Repeating it does
 * no harm. For one thread at a time.
 */
public interface HostFence {
  /**
   * Has the device refuse a host's writes, and makes sure that it does.
   *
   * @throws ReservationException if it cannot be, or the device does not show afterwards that it
   *     is; it is not known then whether the host may still write. A host without a registration
   *     cannot be shut out, for what it has under way would not be ended.
   */
  void shutOut(long key) throws IOException;

  /** Whether the device, asked now, says that it refuses the writes of hosts with this key. */
  boolean isShutOut(long key) throws IOException;
}
