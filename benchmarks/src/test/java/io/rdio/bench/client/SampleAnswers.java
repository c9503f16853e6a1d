// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.client;

import io.rdio.bench.client.Answer.Counters;
import io.rdio.bench.client.Answer.Totals;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;

/** Answers as a client would give them. */
public final class SampleAnswers {
  private SampleAnswers() {}

  /**
   * A gigabyte in a second, by a thousand reads.
   *
   * @param micros how long each of the reads took
   */
  public static Answer of(long rdioBytes, long shortCircuitBytes, long micros) {
    Histogram histogram = Latencies.histogram();
    histogram.recordValueWithCount(micros * 1000, 1000);
    return new Answer(
        new Totals(1_000_000_000, 1000, 1, 0.5, 0.375),
        new Counters(rdioBytes, shortCircuitBytes, 0, 0, 3, 1, Map.of()),
        Answer.encode(histogram),
        List.of(),
        Map.of(),
        Written.NONE);
  }
}
