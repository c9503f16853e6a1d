// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.datacache;

import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * Remembers which chunks were missed not long ago, about: one fingerprint in each place of a table,
 * the later one wins. Thread-safe without locks; a race or a collision costs no more than a chunk
 * that is cached too early or too late.
 */
final class RecentlyWanted {
  private final AtomicIntegerArray fingerprints;

  /**
   * @param chunks how many to remember, about; 1 to 2^30
   */
  RecentlyWanted(int chunks) {
    fingerprints = new AtomicIntegerArray(Integer.highestOneBit(2 * chunks - 1));
  }

  /** Whether a chunk was remembered; it is now. */
  boolean add(ChunkKey chunk) {
    int hash = chunk.hashCode();
    int place = hash & (fingerprints.length() - 1);
    int fingerprint = hash == 0 ? 1 : hash;
    if (fingerprints.getPlain(place) == fingerprint) {
      return true;
    }
    fingerprints.setPlain(place, fingerprint);
    return false;
  }
}
