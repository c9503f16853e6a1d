// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.hdfs;

import io.rdio.bench.client.Answer;
import io.rdio.bench.client.SampleAnswers;

/** Passes of ways that did what their names say. */
public final class SamplePasses {
  private SamplePasses() {}

  /** A gigabyte in a second, by a thousand reads that took so many microseconds each. */
  public static Pass of(Way way, long micros) {
    long bytes = 1_000_000_000;
    boolean byRdio = way == Way.RDIO || way.isByAgent() || way == Way.CACHED;
    Answer answer =
        SampleAnswers.of(
            byRdio ? bytes : 0, byRdio || way == Way.SHORT_CIRCUIT ? bytes : 0, micros);
    return new Pass(way, answer, 0.25, 0, way == Way.STOCK ? bytes : 0, bytes);
  }
}
