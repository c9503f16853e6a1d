// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.server;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * How many of one kind of thing each client address has, up to a maximum for one and for all.
 * Thread-safe.
 */
final class AddressShares {
  private final int max;
  private final int totalMax;
  private final ConcurrentHashMap<String, Integer> taken = new ConcurrentHashMap<>();
  private final AtomicInteger total = new AtomicInteger();

  /**
   * @param max for one address, at least 1
   * @param totalMax for all addresses together, at least 1
   */
  AddressShares(int max, int totalMax) {
    this.max = max;
    this.totalMax = totalMax;
  }

  /** Without a bound for all addresses. */
  AddressShares(int max) {
    this(max, Integer.MAX_VALUE);
  }

  /** False if the address has its share, or all is taken; else {@link #giveBack} must follow. */
  boolean take(String address) {
    boolean free = total.incrementAndGet() <= totalMax;
    if (taken.merge(address, 1, Integer::sum) <= max && free) {
      return true;
    }
    giveBack(address);
    return false;
  }

  void giveBack(String address) {
    taken.computeIfPresent(address, (same, count) -> count == 1 ? null : count - 1);
    total.decrementAndGet();
  }

  /** Why {@link #take} gave false. */
  String text(String address, String what) {
    return address
        + " has "
        + taken.getOrDefault(address, 0)
        + " "
        + what
        + " open, all clients together "
        + total
        + "; this DataNode serves at most "
        + max
        + " of one address and "
        + totalMax
        + " in all";
  }

  int total() {
    return total.get();
  }
}
