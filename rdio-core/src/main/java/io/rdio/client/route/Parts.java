// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.route;

/**
 * Parts of units of runs, which ended with their blocks. One alone is no measure: it is mostly what
 * was read ahead, or what a block begins with. As many as are a unit together are one, so that who
 * reads short blocks only finds out, too. Thread-safe.
 */
final class Parts {
  private Route route = Route.DEVICE;
  private double bytes;
  private double nanos;

  /**
   * One more of them.
   *
   * @param by by which it came; those by another route are forgotten
   * @return what a unit takes, in nanoseconds, once there are enough; 0 before
   */
  synchronized long add(Route by, long partBytes, long partNanos) {
    if (by != route) {
      route = by;
      bytes = 0;
      nanos = 0;
    }
    bytes += (double) partBytes;
    nanos += (double) partNanos;
    if (bytes < Routers.RUN_UNIT) {
      return 0;
    }
    long unit = (long) (nanos / bytes * Routers.RUN_UNIT);
    bytes = 0;
    nanos = 0;
    return unit;
  }
}
