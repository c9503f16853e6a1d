// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.allocate;

import io.rdio.datanode.volume.AgentFences;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Slots of one volume whose lease is over, each with the moment from which on no write of its agent
 * can land any more, or none but of a machine that stood still. Thread-safe; memory only: over a
 * restart the folder's name says how long, and the file's by which key its host was registered.
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
   * @param hostKey by which its host is to be shut out before it is freed (W8); {@link
   *     AgentFences#NOBODY} if that was quiet, or cannot be
   * @param dueNanos when it may be freed
   * @param named whether it may have had a name that others than RDIO could open it by: then
   *     somebody may still have it open
   */
  record Held(
      Path file,
      long number,
      long bytes,
      String address,
      long hostKey,
      long dueNanos,
      boolean named) {

    private Held until(long laterNanos) {
      return new Held(file, number, bytes, address, hostKey, laterNanos, named);
    }
  }

  synchronized void add(Held slot) {
    held.add(slot);
  }

  /** Those whose time is over. They stay here until they are removed. */
  synchronized List<Held> due(long nowNanos) {
    return held.stream().filter(slot -> slot.dueNanos() - nowNanos <= 0).toList();
  }

  /** It is free. */
  synchronized void remove(Held slot) {
    held.remove(slot);
  }

  /** It cannot be freed yet, and is looked at again later. */
  synchronized void keep(Held slot, long laterNanos) {
    held.remove(slot);
    held.add(slot.until(laterNanos));
  }

  /** Whether a host is to be shut out by this key before one of them is free. */
  synchronized boolean isDoomed(long hostKey) {
    return held.stream().anyMatch(slot -> slot.hostKey() == hostKey);
  }

  synchronized int count() {
    return held.size();
  }

  /** Those that have so many bytes. */
  synchronized int count(long bytes) {
    return (int) held.stream().filter(slot -> slot.bytes() == bytes).count();
  }

  synchronized long bytes() {
    return held.stream().mapToLong(Held::bytes).sum();
  }
}
