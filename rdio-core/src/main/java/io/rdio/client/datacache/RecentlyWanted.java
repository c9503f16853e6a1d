// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.datacache;

import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * Remembers which chunks were missed last, about: a table of fingerprints in sets of four, of which
 * the oldest is forgotten. Thread-safe without locks; a race or a collision costs no more than a
 * chunk that is cached too early or too late.
 */
final class RecentlyWanted {
  private static final int WAYS = 4;

  private final AtomicIntegerArray fingerprints;

  /**
   * @param chunks how many to remember, about; 4 to 2^30
   */
  RecentlyWanted(int chunks) {
    fingerprints = new AtomicIntegerArray(Integer.highestOneBit(2 * chunks - 1));
  }

  /** Whether a chunk was remembered; it is now. */
  boolean add(ChunkKey chunk) {
    int hash = chunk.hashCode();
    int set = hash & (fingerprints.length() - WAYS);
    int fingerprint = hash == 0 ? 1 : hash; // 0 is an empty place
    for (int i = set; i < set + WAYS; i++) {
      if (fingerprints.getPlain(i) == fingerprint) {
        return true;
      }
    }
    for (int i = set + WAYS - 1; i > set; i--) {
      fingerprints.setPlain(i, fingerprints.getPlain(i - 1));
    }
    fingerprints.setPlain(set, fingerprint);
    return false;
  }
}
