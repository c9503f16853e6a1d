// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.cache;

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** Lookups that load what is missing, and overwrites, of Zipf-distributed keys. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 2, time = 1)
@Measurement(iterations = 3, time = 1)
@Fork(
    value = 1,
    jvmArgsAppend = {"-Xms2g", "-Xmx2g"})
@SuppressWarnings("NullAway.Init") // JMH fills the fields.
public class CacheBenchmark {
  static final int KEYS = 1 << 18;
  private static final int SEQUENCE = 1 << 20;
  private static final double EXPONENT = 0.99;

  /**
   * The share of lookups that S3-FIFO and Caffeine answer at this capacity, give or take a point or
   * two.
   */
  public enum HitRatio {
    /** Everything fits. */
    ALL(2 * KEYS),
    PERCENT_95(115_000),
    PERCENT_80(28_000);

    final int capacity;

    HitRatio(int capacity) {
      this.capacity = capacity;
    }
  }

  @Param HitRatio hitRatio;

  /** How many of a hundred operations are overwrites. */
  @Param({"0", "25"})
  int overwrites;

  // The last parameter varies fastest: the caches are measured right after each other at each
  // point.
  @Param CacheUnderTest.Kind subject;

  private CacheUnderTest cache;
  private ZipfKeys keys;

  /** Fills the cache and lets its policy settle. */
  @Setup(Level.Trial)
  public void fill() {
    keys = new ZipfKeys(KEYS, SEQUENCE, EXPONENT);
    cache = CacheUnderTest.create(subject, hitRatio.capacity);
    for (int i = 0; i < SEQUENCE; i++) {
      cache.get(keys.at(i));
    }
    cache.cleanUp();
  }

  /** Each thread goes through the sequence from a place of its own. */
  @State(Scope.Thread)
  public static class Position {
    private int next = ThreadLocalRandom.current().nextInt(SEQUENCE);
  }

  /** One operation. */
  @Benchmark
  public Long operation(Position position) {
    int at = position.next++;
    Long key = keys.at(at);
    // Spread over the sequence by a multiplicative hash: a divisor would tie writes to keys.
    long percentile = (Integer.toUnsignedLong(at * 0x9E3779B9) * 100) >>> Integer.SIZE;
    if (percentile < overwrites) {
      // Another value than the one that is there, or else nothing would have to be written.
      cache.put(key, keys.at(at + 1));
      return key;
    }
    return cache.get(key);
  }
}
