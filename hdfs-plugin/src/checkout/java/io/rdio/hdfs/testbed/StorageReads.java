// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.testbed;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * What the storage node was asked for and had its disk read; bytes, so far or between two times.
 *
 * @param asked of the namespace, over the fabric
 * @param disk what the disk read in all
 * @param prefetched of that, by PrefCache
 * @param uplink from the compute node to the storage node: commands, acknowledgements, descriptors
 * @param descriptors of that, descriptors
 */
record StorageReads(long asked, long disk, long prefetched, long uplink, long descriptors) {
  private static final double MIB = 1 << 20;
  private static final double KIB = 1 << 10;

  StorageReads since(StorageReads earlier) {
    return new StorageReads(
        asked - earlier.asked,
        disk - earlier.disk,
        prefetched - earlier.prefetched,
        uplink - earlier.uplink,
        descriptors - earlier.descriptors);
  }

  /** Of the disk, while the compute node waited. */
  long demanded() {
    return disk - prefetched;
  }

  /** What of the bytes asked for was in the storage node's memory. */
  double hitRatio() {
    return asked == 0 ? 0 : 1 - (double) demanded() / asked;
  }

  /** For the JSON. */
  Map<String, Object> fields() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("asked_bytes", asked);
    fields.put("demanded_disk_bytes", demanded());
    fields.put("prefetched_disk_bytes", prefetched);
    fields.put("uplink_bytes", uplink);
    fields.put("descriptor_bytes", descriptors);
    return fields;
  }

  static String heading() {
    return String.format(
        "%-9s %10s %13s %15s %14s %11s %10s",
        "",
        "asked, MB",
        "demanded, MB",
        "prefetched, MB",
        "descriptors, B",
        "uplink, kB",
        "hit ratio");
  }

  String line(String name) {
    return String.format(
        Locale.ROOT,
        "%-9s %10.1f %13.1f %15.1f %14d %11.1f %10.3f",
        name,
        asked / MIB,
        demanded() / MIB,
        prefetched / MIB,
        descriptors,
        uplink / KIB,
        hitRatio());
  }
}
