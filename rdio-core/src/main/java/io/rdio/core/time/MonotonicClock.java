// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.time;

/**
 * The clock of leases: monotonic, and going on while the machine sleeps (CLOCK_BOOTTIME), for a
 * lease runs out on the DataNode whether this host is awake or not. It may jump ahead by a day,
 * which ends all leases.
 */
@FunctionalInterface
public interface MonotonicClock {
  /** Nanoseconds from an arbitrary start; compare by difference only. */
  long nanos();
}
