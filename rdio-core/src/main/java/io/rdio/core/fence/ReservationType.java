// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.fence;

/** Kinds of reservation, by the numbers that NVMe and Linux both have for them. */
public enum ReservationType {
  /** Nobody but the holder writes. */
  WRITE_EXCLUSIVE(1),

  /**
   * Nobody but registered hosts writes, and all of them hold it. For volumes that agents write to:
   * as the one holder of "Registrants Only" a DataNode could not take a key away from another host
   * on Linux's target, which then only sets the type anew (pr.c, {@code nvmet_pr_preempt}).
   */
  WRITE_EXCLUSIVE_ALL_REGISTRANTS(5);

  private final int number;

  ReservationType(int number) {
    this.number = number;
  }

  int number() {
    return number;
  }

  /** The kind with a number, for people: also of those that RDIO never takes. */
  static String text(int number) {
    return switch (number) {
      case 0 -> "none";
      case 1 -> "Write Exclusive";
      case 2 -> "Exclusive Access";
      case 3 -> "Write Exclusive - Registrants Only";
      case 4 -> "Exclusive Access - Registrants Only";
      case 5 -> "Write Exclusive - All Registrants";
      case 6 -> "Exclusive Access - All Registrants";
      default -> "type " + number;
    };
  }
}
