// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.twolevel;

import java.util.Locale;

/**
 * What one policy did below a DataNode, after warming up; bytes unless said.
 *
 * @param fraction the storage cache's size, of what of the file does not fit into level 1
 * @param pauseSeconds between two passes; not in {@code seconds}
 * @param seconds that the passes took
 * @param served to clients
 * @param asked of the namespace, because the DataNode's page cache did not have it
 * @param demanded of the disk, because the storage cache did not have it either
 * @param prefetched from the disk by PrefCache
 * @param extraNetwork sent to the storage node besides what was asked for
 * @param level1 page cache of the DataNode in the end
 * @param level2 page cache of the image in the end
 */
record HdfsResult(
    String workload,
    String policy,
    double fraction,
    double pauseSeconds,
    double seconds,
    long served,
    long asked,
    long demanded,
    long prefetched,
    long extraNetwork,
    long level1,
    long level2) {
  static final String CSV_HEADING =
      "workload,policy,storage_cache_fraction,pause_s,mib_per_s,datanode_hit_ratio,"
          + "level2_hit_ratio,served_bytes,asked_bytes,demanded_disk_bytes,prefetched_disk_bytes,"
          + "extra_network_bytes,level1_bytes,level2_bytes";

  private static final double MIB = 1 << 20;

  /** Bytes that clients got in a second of reading. */
  double mibPerSecond() {
    return seconds == 0 ? 0 : served / MIB / seconds;
  }

  /** What of the bytes served the DataNode had in memory. */
  double dataNodeHitRatio() {
    return share(served, asked);
  }

  /** What of the bytes that it had not did not have to be waited for from the disk. */
  double level2HitRatio() {
    return share(asked, demanded);
  }

  private static double share(long all, long missed) {
    return all == 0 ? 0 : 1 - (double) missed / all;
  }

  String csv() {
    return String.format(
        Locale.ROOT,
        "%s,%s,%.2f,%.1f,%.1f,%.4f,%.4f,%d,%d,%d,%d,%d,%d,%d",
        workload,
        policy,
        fraction,
        pauseSeconds,
        mibPerSecond(),
        dataNodeHitRatio(),
        level2HitRatio(),
        served,
        asked,
        demanded,
        prefetched,
        extraNetwork,
        level1,
        level2);
  }
}
