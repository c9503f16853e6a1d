// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.twolevel;

import java.util.Locale;

/**
 * What one policy did for one workload on real page caches, after warming up; bytes.
 *
 * @param fraction the storage cache's size, of what of the data set does not fit into level 1
 * @param asked of the namespace by all compute nodes
 * @param demanded of the disk because a compute node asked and level 2 did not have it
 * @param prefetched from the disk by PrefCache
 * @param extraNetwork sent over the network besides what was asked for
 * @param level1 page cache that all compute nodes had in the end
 * @param level2 page cache of the image in the end
 * @param simulated the hit ratio of level 2 by the simulator, for the same reads
 * @param nodes compute nodes
 * @param mibPerSecond what they got, from whichever level, in a second of waiting for it, in MiB: a
 *     sum over them
 */
record RealResult(
    String workload,
    String policy,
    double fraction,
    long asked,
    long demanded,
    long prefetched,
    long extraNetwork,
    long level1,
    long level2,
    double simulated,
    int nodes,
    double mibPerSecond) {
  static final String CSV_HEADING =
      "workload,policy,storage_cache_fraction,level2_hit_ratio,simulated_hit_ratio,asked_bytes,"
          + "demanded_disk_bytes,prefetched_disk_bytes,extra_network_bytes,level1_bytes,"
          + "level2_bytes,compute_nodes,mib_per_s";

  /** What of the bytes asked for did not have to be waited for from the disk. */
  double hitRatio() {
    return asked == 0 ? 0 : 1 - (double) demanded / asked;
  }

  String csv() {
    return String.format(
        Locale.ROOT,
        "%s,%s,%.2f,%.4f,%.4f,%d,%d,%d,%d,%d,%d,%d,%.1f",
        workload,
        policy,
        fraction,
        hitRatio(),
        simulated,
        asked,
        demanded,
        prefetched,
        extraNetwork,
        level1,
        level2,
        nodes,
        mibPerSecond);
  }
}
