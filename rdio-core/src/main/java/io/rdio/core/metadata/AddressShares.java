// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.metadata;

import java.util.concurrent.ConcurrentHashMap;

/** How many of one kind of thing each client address has, up to a maximum. Thread-safe. */
final class AddressShares {
  private final int max;
  private final ConcurrentHashMap<String, Integer> taken = new ConcurrentHashMap<>();

  /**
   * @param max for one address, at least 1
   */
  AddressShares(int max) {
    this.max = max;
  }

  /** False if the address has its share; else {@link #giveBack} must follow, once. */
  boolean take(String address) {
    if (taken.merge(address, 1, Integer::sum) <= max) {
      return true;
    }
    giveBack(address);
    return false;
  }

  void giveBack(String address) {
    taken.computeIfPresent(address, (same, count) -> count == 1 ? null : count - 1);
  }

  int max() {
    return max;
  }

  /** Addresses that have anything; nothing is kept of the others. */
  int addresses() {
    return taken.size();
  }
}
