// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.replicas;

import io.rdio.bench.hdfs.Sizes;
import java.util.List;

/**
 * What devices and DataNodes give at most, in bytes a second.
 *
 * @param devices of each DataNode
 * @param sent of each DataNode by its own throttle; 0 for no bound
 * @param link of all DataNodes together ({@link SlowLink}); 0 for no bound
 */
record Limits(List<Long> devices, long sent, long link) {
  Limits {
    devices = List.copyOf(devices);
  }

  /** Whether DataNodes send what is in their page caches: without a bound nothing is there. */
  boolean isCacheWarm() {
    return sent > 0 || link > 0;
  }

  /** As text. */
  String pageCache() {
    if (!isCacheWarm()) {
      return "cold";
    }
    String each = sent == 0 ? "" : ", DataNodes of " + Sizes.label(sent) + " a second";
    String all = link == 0 ? "" : ", all together " + Sizes.label(link) + " a second";
    return "warm" + each + all;
  }
}
