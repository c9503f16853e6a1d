// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.leases;

import java.util.Arrays;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What the machine itself takes to go to any one of as many objects as there are leases: what a
 * step that takes any lease grows by however it is written.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
@SuppressWarnings("NullAway.Init") // JMH calls fill() first.
public class BareMemory {
  private static final int LONGS_OF_A_LEASE = 8;

  @Param({"10000", "100000", "1000000", "5000000"})
  public int leases;

  private Bare[] all;
  private int next;

  /** It takes as much memory as a lease does. */
  private static final class Bare {
    @SuppressWarnings("unused") // it is there to take memory
    private final long[] rest = new long[LONGS_OF_A_LEASE];

    private int next;
  }

  /** In the order in which they lie in memory. */
  @Setup
  public void fill() {
    all = new Bare[leases];
    Arrays.setAll(all, i -> new Bare());
  }

  /** Through a table to any object, which has to be there before it is known where to go next. */
  @Benchmark
  public int bareAny() {
    next = all[(ThreadLocalRandom.current().nextInt(leases) + next) % leases].next;
    return next;
  }
}
