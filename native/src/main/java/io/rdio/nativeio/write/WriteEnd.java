// SPDX-License-Identifier: Apache-2.0
package io.rdio.nativeio.write;

/** What became of the writes of a lease that was ended (W10, W11 of docs/remote-writes.md). */
public enum WriteEnd {
  /** Each was answered, without an error. The slot can be committed when the device was flushed. */
  CLEAN,

  /** Each was answered, or refused before it was sent, and one of them failed: abort, and quiet. */
  FAILED,

  /** One was sent and not answered yet: abort, and not quiet; or ask again. */
  UNDER_WAY,

  /**
   * A thread is still between its look and its submission. Nobody may be told that the lease is
   * over; the timer still has its deadline.
   */
  NOT_ENDED
}
