// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.twolevel;

import io.rdio.exclusive.prefcache.SegmentPolicy;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/** The policies of level 2 by name. */
final class StorageCaches {
  /** Makes an empty cache. */
  @FunctionalInterface
  private interface Factory {
    /**
     * @param blocks of the data set
     * @param capacity in blocks
     */
    StorageCache create(int blocks, int capacity);
  }

  private static final Map<String, Factory> BY_NAME = new LinkedHashMap<>();

  static {
    BY_NAME.put("Vanilla", (blocks, capacity) -> (first, count) -> 0);
    BY_NAME.put("Incl", (blocks, capacity) -> new LruCache(blocks, capacity, dropped -> {}));
    BY_NAME.put("DEMOTE", DemoteCache::new);
    BY_NAME.put("DM-Cache", DmCache::new);
    BY_NAME.put("BNEX", (blocks, capacity) -> bnex(blocks, capacity, SegmentPolicy.FIFO));
    BY_NAME.put(
        "BNEX-S3-FIFO", (blocks, capacity) -> bnex(blocks, capacity, SegmentPolicy.S3_FIFO));
  }

  private StorageCaches() {}

  private static StorageCache bnex(int blocks, int capacity, SegmentPolicy policy) {
    return new Bnex(blocks / TwoLevelSimulation.LEVEL1_SHARE, capacity, policy);
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

  /** Makes a cache with the policy of that canonical name. */
  static StorageCache create(String name, int blocks, int capacity) {
    return Objects.requireNonNull(BY_NAME.get(name), name).create(blocks, capacity);
  }
}
