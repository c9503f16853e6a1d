// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.fence;

/**
 * How far shutting a host out of a device has come. It goes on from each to the next, and back from
 * {@link #FENCED} to {@link #FENCING} where the device has forgotten, and has the host registered
 * anew. Never back to {@link #RECALLED}.
 */
public enum FenceState {
  /** The host is to be shut out; nothing was done to its device for that, now or before. */
  RECALLED,

  /**
   * The device had it registered. It may be shut out already, or not yet: nobody knows until the
   * device has been asked.
   */
  FENCING,

  /** The device has shown that it refuses the host's writes, and ended those under way. */
  FENCED;

  /**
   * Whether what the host had may be given to others: its file system mounted, pins on it removed,
   * its space used. Before that the host may still write, and nothing is unpinned.
   */
  public boolean mayFree() {
    return this == FENCED;
  }
}
