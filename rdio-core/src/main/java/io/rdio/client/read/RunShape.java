// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import io.rdio.client.ReadGeometry;

/**
 * How a long sequential run reads a device. Immutable.
 *
 * @param windowBytes data bytes of each window, a multiple of {@link ReadGeometry#ALIGNMENT}
 * @param windows most of them under way, at least 1
 */
public record RunShape(int windowBytes, int windows) {
  /**
   * What readers make of their settings once a run is long, where memory is not scarce.
   *
   * @param readAheadBytes what a sequential reader may have under way
   * @param largestWindow data bytes of the largest window
   * @param hasQueue whether several reads can be under way
   */
  public static RunShape of(int readAheadBytes, int largestWindow, boolean hasQueue) {
    int[] sizes = ReadGeometry.windowSizes(largestWindow);
    int largest = sizes[sizes.length - 1];
    ReadPlan plan = new ReadPlan();
    plan.by(hasQueue ? ReadGeometry.MAX_WINDOWS : 1, largest, false);
    long ahead = plan.wanted(Integer.MAX_VALUE, readAheadBytes);
    plan.grant(ahead);
    boolean readsAhead = ahead >= ReadGeometry.SMALLEST_WINDOW;
    if (readsAhead) {
      plan.fetch(0, largest);
    } else {
      plan.fetchOnly(0, largest, largest);
    }
    int size = Math.min(plan.size(), largest) / ReadGeometry.ALIGNMENT * ReadGeometry.ALIGNMENT;
    return new RunShape(size, readsAhead ? plan.windows() : 1);
  }

  /** Bytes under way. */
  public long bytes() {
    return (long) windowBytes * windows;
  }
}
