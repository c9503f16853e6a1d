// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.fence;

import java.io.IOException;
import java.nio.file.Path;

/**
 * This host's registration with devices that a DataNode lets agents write to (W8): by its {@link
 * AgentKey}, beside the DataNode's host, which can take it away. Each call asks the device, and may
 * take as long as that does. Thread-safe.
 */
public interface AgentRegistration {
  /**
   * Makes this process the one of this host that registers it with a device, until the process
   * ends: the target knows hosts, and another process would replace its key. To be called before
   * each {@link #register}.
   *
   * @return whether it was not before: what another process has sent may still be under way then
   * @throws ReservationException CONFLICT if another process is, which is named; FAILED if that
   *     cannot be told
   */
  boolean claim(Path node, String wwid) throws IOException;

  /**
   * Whether the device, asked now, says that this host is registered by this key.
   *
   * @param node of the device, or of a partition of it
   * @param wwid of the whole device
   * @throws ReservationException also CONFLICT if the node is of another device
   */
  boolean isRegistered(Path node, String wwid, long key) throws IOException;

  /**
   * Registers this host, in the place of an agent's key that it has. What it has under way to the
   * device may reach it from then on: that there is nothing is the caller's to know.
   *
   * @param key of an agent, never used before
   * @throws ReservationException UNSUPPORTED if the device takes no reservations; CONFLICT if it is
   *     not reserved for all that are registered, if this host has a key that is no agent's, or
   *     uses the device otherwise than by an agent; DENIED or FAILED. It may be registered all the
   *     same
   */
  void register(Path node, String wwid, long key) throws IOException;
}
