// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.micro;

import io.rdio.agent.ipc.AgentBlockWriter;
import io.rdio.core.FallbackException;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
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

/**
 * Writes of arrays to blocks by an agent that throws them away. Each block of 1 GiB has 8 MiB for
 * its CRCs, which is 512 bytes of garbage for 64 KiB; what is measured beyond that is of the
 * writes.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
@Fork(1)
@SuppressWarnings("NullAway.Init") // JMH calls prepare() first.
public class WriteSteps {
  private static final int SMALL = 64 << 10;
  private static final int LARGE = 1 << 20;

  private final byte[] array = new byte[LARGE];
  private AgentBlockWriter writer;

  /** Begins a block. */
  @Setup(Level.Trial)
  public void prepare(DiscardingAgent agent) throws IOException {
    writer = agent.begin();
  }

  /** Gives up the last block. */
  @TearDown(Level.Trial)
  public void close() {
    writer.close();
  }

  /** Appended to a block; another one from the block's end on. */
  @Benchmark
  public void agentWrite64k(DiscardingAgent agent) throws IOException, FallbackException {
    write(agent, SMALL);
  }

  /** The same. */
  @Benchmark
  public void agentWrite1m(DiscardingAgent agent) throws IOException, FallbackException {
    write(agent, LARGE);
  }

  private void write(DiscardingAgent agent, int count) throws IOException, FallbackException {
    if (writer.room() < count) {
      writer.close();
      writer = agent.begin();
    }
    writer.write(array, 0, count);
  }
}
