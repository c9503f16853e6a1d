// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.fence;

import java.io.IOException;

/**
 * Shuts other hosts out of one device, each by the key that it is registered by. Repeating it does
 * no harm. For one thread at a time.
 */
public interface HostFence {
  /**
   * Requires that a host can be shut out: one without a registration cannot be, for what it has
   * under way would not be ended.
   *
   * @throws ReservationException UNSUPPORTED if no host is registered by this key; CONFLICT if it
   *     is this host's own, or a third host holds the device
   */
  void requireRegistered(long key) throws IOException;

  /**
   * Has the device refuse a host's writes, and makes sure that it does. Only of a host that {@link
   * #requireRegistered} has let pass, now or ahead of a try before: that may have ended when the
   * registration was gone already.
   *
   * @throws ReservationException if it cannot be, or the device does not show afterwards that it
   *     is; it is not known then whether the host may still write
   */
  void shutOut(long key) throws IOException;

  /** Whether the device, asked now, says that it refuses the writes of hosts with this key. */
  boolean isShutOut(long key) throws IOException;

  /**
   * Whether the device, asked now, says that this very host holds it, by its own key; false also
   * where this host cannot be told from another one of its name.
   *
   * @throws ReservationException UNSUPPORTED if the device takes no reservations
   */
  boolean isOwn() throws IOException;
}
