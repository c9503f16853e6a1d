// SPDX-License-Identifier: Apache-2.0
package io.rdio.s3fifo;

/** Why a value left the cache. */
public enum RemovalCause {
  /** The user removed it. */
  EXPLICIT,
  /** Another value took its place. */
  REPLACED,
  /** It was evicted to keep the cache within its bound. */
  SIZE;

  /** Returns whether the cache, and not its user, removed the value. */
  public boolean wasEvicted() {
    return this == SIZE;
  }
}
