// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client;

import java.util.NoSuchElementException;
import org.apache.hadoop.metrics2.AbstractMetric;
import org.apache.hadoop.metrics2.MetricsSource;
import org.apache.hadoop.metrics2.impl.MetricsCollectorImpl;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;

/** Reads metrics sources of this JVM as a sink would. */
public final class MetricsReader {
  private MetricsReader() {}

  /** The present value of one metric of a registered source. */
  public static long value(String source, String metric) {
    MetricsSource registered = DefaultMetricsSystem.instance().getSource(source);
    if (registered == null) {
      throw new NoSuchElementException("metrics source " + source);
    }
    MetricsCollectorImpl collector = new MetricsCollectorImpl();
    registered.getMetrics(collector, true);
    for (AbstractMetric found : collector.getRecords().get(0).metrics()) {
      if (found.name().equals(metric)) {
        return found.value().longValue();
      }
    }
    throw new NoSuchElementException(metric + " in metrics source " + source);
  }
}
