// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.fence;

/**
 * How far shutting a host out of a device has come. It goes on from each to the next, from {@link
 * #FENCED} to {@link #LOST} where the device has forgotten, and from there to {@link #FENCING}
 * where it has the host registered anew. Never back to {@link #RECALLED}.
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
  FENCED,

  /**
   * It was {@link #FENCED}, and the device has shown since that it is so no more. The host may
   * write again, and this host may have the device, and a file system of it mounted.
   */
  LOST;

  /**
   * Whether what the host had may be given to others: its file system mounted, pins on it removed,
   * its space used. In every other state the host may write, and nothing is unpinned.
   */
  public boolean mayFree() {
    return this == FENCED;
  }
}
