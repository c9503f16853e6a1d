// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.StorageStatistics;
import org.jspecify.annotations.Nullable;

/**
 * What {@link RdioClientMetrics} counts, among Hadoop's storage statistics, by the same names: for
 * programs that look at those of all file systems. Thread-safe.
 */
final class RdioStorageStatistics extends StorageStatistics {
  /** Hadoop's name of what a file system has read. */
  static final String BYTES_READ = "bytesRead";

  private static final String NAME = "RdioClient";

  private RdioStorageStatistics() {
    super(NAME);
  }

  /** Has Hadoop know them; idempotent. */
  static void register() {
    FileSystem.getGlobalStorageStatistics().put(NAME, RdioStorageStatistics::new);
  }

  /** Those of a name; null if there are none. */
  static @Nullable StorageStatistics of(String name) {
    return FileSystem.getGlobalStorageStatistics().get(name);
  }

  @Override
  public Iterator<LongStatistic> getLongStatistics() {
    List<LongStatistic> all = new ArrayList<>();
    for (Map.Entry<String, Long> value : RdioClientMetrics.values().entrySet()) {
      all.add(new LongStatistic(value.getKey(), value.getValue()));
    }
    return all.iterator();
  }

  @Override
  public @Nullable Long getLong(String key) {
    return RdioClientMetrics.values().get(key);
  }

  @Override
  public boolean isTracked(String key) {
    return RdioClientMetrics.values().containsKey(key);
  }

  /** Counters of a JVM are never reset. */
  @Override
  public void reset() {}
}
