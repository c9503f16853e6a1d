// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.allocate;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Slots of one volume whose lease is over, each with the moment from which on no write of its agent
 * can land any more. Thread-safe; memory only: over a restart the folder's name says how long.
 */
final class Quarantine {
  private final List<Held> held = new ArrayList<>();

  /**
   * One of them.
   *
   * @param file in {@code leased/}
   * @param number of the slot
   * @param bytes that it has for the account of its volume
   * @param address of the lease's holder; "" if that is not known any more
   * @param dueNanos when it may be freed
   */
  record Held(Path file, long number, long bytes, String address, long dueNanos) {
    Held until(long laterNanos) {
      return new Held(file, number, bytes, address, laterNanos);
    }
  }

  synchronized void add(Held slot) {
    held.add(slot);
  }

  /** Takes those out whose time is over. */
  synchronized List<Held> takeDue(long nowNanos) {
    List<Held> due = held.stream().filter(slot -> slot.dueNanos() - nowNanos <= 0).toList();
    held.removeAll(due);
    return due;
  }

  synchronized int count() {
    return held.size();
  }

  synchronized long bytes() {
    return held.stream().mapToLong(Held::bytes).sum();
  }
}
