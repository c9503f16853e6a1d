// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.micro;

import java.io.IOException;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hdfs.ReplicaAccessor;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** Reads by the agent of the host, as {@link ReadSteps} has them without. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
@Fork(1)
@SuppressWarnings("NullAway.Init") // JMH calls prepare() first.
public class AgentSteps {
  private static final int PAGE = 4096;
  private static final int MIB = 1 << 20;
  private static final int CHUNK = 512;
  private static final int RUN_STEP = 64 << 10;

  private final SplittableRandom random = new SplittableRandom(1);
  private final byte[] array = new byte[MIB];
  private ReplicaAccessor open;
  private ReplicaAccessor run;
  private long runAt;

  /** Opens the block. */
  @Setup(Level.Trial)
  public void prepare(ServedBlock block) {
    open = block.accessor(block.length());
    run = block.accessor(block.length());
  }

  /** Closes what {@link #prepare} opened. */
  @TearDown(Level.Trial)
  public void close() throws IOException {
    open.close();
    run.close();
  }

  /** By an accessor that is open. */
  @Benchmark
  public int agentOpenAccessor4k(ServedBlock block) throws IOException {
    return open.read(page(block), array, 0, PAGE);
  }

  /** By an accessor that is open. */
  @Benchmark
  public int agentOpenAccessor1m(ServedBlock block) throws IOException {
    return open.read(mebibyte(block), array, 0, MIB);
  }

  /** In order, by an accessor that is open; another one from the block's end on. */
  @Benchmark
  public int agentSequential64k(ServedBlock block) throws IOException {
    if (runAt + RUN_STEP > block.length()) {
      run.close();
      run = block.accessor(block.length());
      runAt = 0;
    }
    int count = run.read(runAt, array, 0, RUN_STEP);
    runAt += count;
    return count;
  }

  /** All of what HDFS asks for at a positional read: a new accessor, the read, its close. */
  @Benchmark
  public int agentPositional4k(ServedBlock block) throws IOException {
    return positional(block, page(block), PAGE);
  }

  /** The same. */
  @Benchmark
  public int agentPositional1m(ServedBlock block) throws IOException {
    return positional(block, mebibyte(block), MIB);
  }

  private int positional(ServedBlock block, long offset, int length) throws IOException {
    ReplicaAccessor accessor = block.accessor(offset + length);
    try {
      return accessor.read(offset, array, 0, length);
    } finally {
      accessor.close();
    }
  }

  private long page(ServedBlock block) {
    return random.nextLong(block.length() / PAGE) * PAGE;
  }

  private long mebibyte(ServedBlock block) {
    return random.nextLong(block.length() / CHUNK - MIB / CHUNK) * CHUNK;
  }
}
