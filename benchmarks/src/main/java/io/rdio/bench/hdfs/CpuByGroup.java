// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.hdfs;

import java.util.Map;

/**
 * User and system time of all DataNodes' threads, in seconds. Immutable.
 *
 * @param seconds without those groups that used none
 */
public record CpuByGroup(Map<CpuGroup, Double> seconds) {
  /** Where nobody asked. */
  public static final CpuByGroup NONE = new CpuByGroup(Map.of());

  public CpuByGroup {
    seconds = Map.copyOf(seconds);
  }

  /** What the threads of one group used. */
  public double of(CpuGroup group) {
    return seconds.getOrDefault(group, 0.0);
  }
}
