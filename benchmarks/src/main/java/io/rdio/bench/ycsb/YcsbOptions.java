// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.ycsb;

import io.rdio.bench.hdfs.Way;
import java.util.Collections;
import java.util.List;

/**
 * What {@code bench ycsb} is to do.
 *
 * @param files that are read
 * @param fileBytes of each
 * @param sizes of reads
 * @param rounds at each point, behind one warm-up of each way
 * @param seconds of each pass
 * @param dataCacheBytes memory of the block data cache of a third way; 0 for no such way
 */
record YcsbOptions(
    int files,
    long fileBytes,
    List<Integer> sizes,
    List<Distribution> distributions,
    List<Integer> threads,
    int rounds,
    double seconds,
    long dataCacheBytes) {
  private static final int THREADS_MAX = 1024;

  /** How the reads are spread over the data. */
  enum Distribution {
    ZIPF(0.99),
    UNIFORM(0);

    /** YCSB's constant, or 0. */
    final double exponent;

    Distribution(double exponent) {
      this.exponent = exponent;
    }

    /** {@code zipf}, {@code uniform} or {@code both}. */
    static List<Distribution> parse(String text) {
      return switch (text) {
        case "zipf" -> List.of(ZIPF);
        case "uniform" -> List.of(UNIFORM);
        case "both" -> List.of(ZIPF, UNIFORM);
        default ->
            throw new IllegalArgumentException(
                "--distribution " + text + ": take zipf, uniform or both");
      };
    }

    @Override
    public String toString() {
      return this == ZIPF ? "Zipf (0.99, scrambled)" : "uniform";
    }
  }

  YcsbOptions {
    requirePositive("--files", files);
    requirePositive("--rounds", rounds);
    if (!(seconds > 0)) {
      throw new IllegalArgumentException("--seconds " + seconds + ": must be greater than 0");
    }
    for (int count : threads) {
      requirePositive("--threads", count);
      if (count > THREADS_MAX) {
        throw new IllegalArgumentException("--threads " + count + ": at most " + THREADS_MAX);
      }
    }
    if (fileBytes < Collections.max(sizes)) {
      throw new IllegalArgumentException(
          "--file-size "
              + fileBytes
              + ": less than a read of "
              + Collections.max(sizes)
              + " bytes (--read-sizes)");
    }
  }

  /** What is compared. */
  List<Way> ways() {
    return dataCacheBytes == 0
        ? List.of(Way.STOCK, Way.RDIO)
        : List.of(Way.STOCK, Way.RDIO, Way.CACHED);
  }

  private static void requirePositive(String option, int value) {
    if (value < 1) {
      throw new IllegalArgumentException(option + " " + value + ": must be 1 or more");
    }
  }
}
