// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client;

import java.util.Collections;
import java.util.Map;
import org.apache.hadoop.fs.statistics.IOStatistics;
import org.apache.hadoop.fs.statistics.MeanStatistic;

/**
 * What {@link RdioClientMetrics} counts, as Hadoop's IOStatistics, by the same names. The figures
 * are of the JVM, whichever file system read: adding up those of several counts all of it more than
 * once. Each map is a copy of its time. Thread-safe. Hadoop knows IOStatistics since 3.3.1.
 */
final class RdioIoStatistics implements IOStatistics {
  static final RdioIoStatistics INSTANCE = new RdioIoStatistics();

  private RdioIoStatistics() {}

  @Override
  public Map<String, Long> counters() {
    return RdioClientMetrics.counters();
  }

  @Override
  public Map<String, Long> gauges() {
    return RdioClientMetrics.gauges();
  }

  @Override
  public Map<String, Long> minimums() {
    return Collections.emptyMap();
  }

  @Override
  public Map<String, Long> maximums() {
    return Collections.emptyMap();
  }

  @Override
  public Map<String, MeanStatistic> meanStatistics() {
    return Collections.emptyMap();
  }
}
