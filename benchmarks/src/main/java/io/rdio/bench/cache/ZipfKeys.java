// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.cache;

import io.rdio.bench.workload.Zipf;
import java.util.Arrays;
import java.util.SplittableRandom;

/** Keys drawn from a Zipf distribution, the same in every run. */
final class ZipfKeys {
  private final Long[] sequence;

  /**
   * Draws a sequence.
   *
   * @param keys how many different keys there are
   * @param length how many are drawn, a power of two
   */
  ZipfKeys(int keys, int length, double exponent) {
    SplittableRandom random = new SplittableRandom(42);
    Long[] boxed = new Long[keys];
    Arrays.setAll(boxed, i -> Long.valueOf(random.nextLong()));
    Zipf zipf = new Zipf(keys, exponent);
    sequence = new Long[length];
    for (int i = 0; i < length; i++) {
      sequence[i] = boxed[zipf.rank(random)];
    }
  }

  /** Returns one of the sequence, which repeats itself. */
  Long at(int position) {
    return sequence[position & (sequence.length - 1)];
  }
}
