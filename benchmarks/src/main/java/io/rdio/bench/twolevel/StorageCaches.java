// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.twolevel;

import io.rdio.exclusive.prefcache.SegmentPolicy;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;

/** The policies of level 2 by name. */
final class StorageCaches {
  /** Makes an empty cache. */
  @FunctionalInterface
  private interface Factory {
    /**
     * @param blocks of the data set
     * @param capacity in blocks
     * @param nodes compute nodes that share it
     */
    StorageCache create(int blocks, int capacity, int nodes);
  }

  private static final Map<String, Factory> BY_NAME = new LinkedHashMap<>();

  static {
    BY_NAME.put("Vanilla", (blocks, capacity, nodes) -> (first, count) -> 0);
    BY_NAME.put("Incl", (blocks, capacity, nodes) -> new LruCache(blocks, capacity, dropped -> {}));
    BY_NAME.put("DEMOTE", (blocks, capacity, nodes) -> new DemoteCache(blocks, capacity));
    BY_NAME.put("DM-Cache", StorageCaches::dmCache);
    BY_NAME.put(
        "BNEX", (blocks, capacity, nodes) -> bnex(blocks, capacity, SegmentPolicy.FIFO, nodes));
    BY_NAME.put(
        "BNEX-S3-FIFO",
        (blocks, capacity, nodes) -> bnex(blocks, capacity, SegmentPolicy.S3_FIFO, nodes));
  }

  private StorageCaches() {}

  private static StorageCache bnex(int blocks, int capacity, SegmentPolicy policy, int nodes) {
    return new Bnex(blocks / TwoLevelSimulation.LEVEL1_SHARE, capacity, policy, nodes);
  }

  /** A dm-cache has its memory for itself: each node has a part. */
  private static StorageCache dmCache(int blocks, int capacity, int nodes) {
    return nodes == 1
        ? new DmCache(blocks, capacity)
        : new StorageParts(
            IntStream.range(0, nodes)
                .<StorageCache>mapToObj(node -> new DmCache(blocks, capacity / nodes))
                .toList());
  }

  /** Returns all names. */
  static List<String> names() {
    return List.copyOf(BY_NAME.keySet());
  }

  /**
   * Returns the name as it is written here, given it in any case.
   *
   * @throws IllegalArgumentException if there is no such policy
   */
  static String canonicalName(String name) {
    return BY_NAME.keySet().stream()
        .filter(known -> known.equalsIgnoreCase(name.strip()))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    String.format(
                        Locale.ROOT,
                        "there is no policy \"%s\" of the storage cache; there are %s",
                        name,
                        String.join(", ", names()))));
  }

  /** Makes a cache for one compute node, with the policy of that canonical name. */
  static StorageCache create(String name, int blocks, int capacity) {
    return create(name, blocks, capacity, 1);
  }

  /** Makes one that so many compute nodes share. */
  static StorageCache create(String name, int blocks, int capacity, int nodes) {
    return Objects.requireNonNull(BY_NAME.get(name), name).create(blocks, capacity, nodes);
  }
}
