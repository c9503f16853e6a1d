// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.hdfs;

/**
 * What DataNodes did to have as many slots free behind a pass that writes as before it.
 *
 * @param bytes of the slots that they made, during the pass and behind it
 * @param duringBytes of those of them that were made during the pass
 * @param cpuSeconds user and system time of their processes from the end of the pass on; what they
 *     do without a reason, such as heartbeats, is in it
 */
public record SlotCost(long bytes, long duringBytes, double cpuSeconds) {
  /** Of a pass that took none. */
  public static final SlotCost NONE = new SlotCost(0, 0, 0);
}
