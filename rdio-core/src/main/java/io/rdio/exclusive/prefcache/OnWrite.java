// SPDX-License-Identifier: Apache-2.0
package io.rdio.exclusive.prefcache;

/** What becomes of a cached block that a compute node writes. */
public enum OnWrite {
  /** It goes: who wrote it has it in its own page cache. */
  DROP,
  /** It stays with its new bytes, which the store must then have got. */
  UPDATE
}
