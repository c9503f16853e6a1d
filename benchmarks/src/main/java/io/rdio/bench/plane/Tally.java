// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.plane;

import io.rdio.bench.client.Latencies;
import java.util.LinkedHashMap;
import java.util.Map;
import org.HdrHistogram.Histogram;

/** Time and reads of something that was done many times. For one thread. */
final class Tally {
  private static final double MICRO = 1000;

  private final Histogram nanos = Latencies.histogram();
  private long reads;
  private long mostReads;

  void add(long tookNanos, long tookReads) {
    nanos.recordValue(Math.min(tookNanos, nanos.getHighestTrackableValue()));
    reads += tookReads;
    mostReads = Math.max(mostReads, tookReads);
  }

  /** Takes what another one has. */
  void addAll(Tally other) {
    nanos.add(other.nanos);
    reads += other.reads;
    mostReads = Math.max(mostReads, other.mostReads);
  }

  /** Times that it was done. */
  long count() {
    return nanos.getTotalCount();
  }

  /** Of one, on average. */
  double reads() {
    return count() == 0 ? Double.NaN : (double) reads / count();
  }

  long mostReads() {
    return mostReads;
  }

  double micros(double percentile) {
    return count() == 0 ? Double.NaN : nanos.getValueAtPercentile(percentile) / MICRO;
  }

  /** Of one, on average: unlike percentiles, those of steps add up to that of the whole. */
  double meanMicros() {
    return count() == 0 ? Double.NaN : nanos.getMean() / MICRO;
  }

  /** For JSON. */
  Map<String, Object> fields() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("count", count());
    if (count() > 0) {
      fields.put("reads_mean", reads());
      fields.put("reads_max", mostReads);
      fields.put("mean_us", meanMicros());
      fields.put("p50_us", micros(50));
      fields.put("p99_us", micros(99));
    }
    return fields;
  }
}
