// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.micro;

import io.rdio.client.read.BlockReader;
import io.rdio.core.FallbackException;
import io.rdio.core.device.DeviceDepth;
import java.nio.ByteBuffer;
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
 * A stream of a block to aligned direct memory, from its start to its end and again: straight to
 * it, where reads are never given up and a call asks for at least half of what would be under way;
 * else by windows, which are read ahead.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
@Fork(1)
@SuppressWarnings("NullAway.Init") // JMH calls open() first.
public class AlignedSteps {
  private static final int MIB = 1 << 20;

  private final ByteBuffer buffer = RunMemory.of(DeviceDepth.MOST);
  private Run withDeadline;
  private Run withoutDeadline;

  /** One call after the other. */
  private static final class Run {
    private final WarmBlock block;
    private final TimedReads reads;
    private BlockReader reader;
    private long at;

    Run(WarmBlock block, TimedReads reads) throws FallbackException {
      this.block = block;
      this.reads = reads;
      this.reader = reads.reader(block.request(), block.length());
    }

    byte read(ByteBuffer to, int count) throws FallbackException {
      if (at + count > block.length()) {
        reader.close();
        reader = reads.reader(block.request(), block.length());
        at = 0;
      }
      reader.read(at, to, 0, count);
      at += count;
      return to.get(0);
    }

    void close() {
      reader.close();
      reads.close();
    }
  }

  /** Opens both runs. */
  @Setup(Level.Trial)
  public void open(WarmBlock block) throws FallbackException {
    withDeadline = new Run(block, block.timedReads());
    withoutDeadline = new Run(block, block.timedReadsWithoutDeadline());
  }

  /** Closes them. */
  @TearDown(Level.Trial)
  public void close() {
    withDeadline.close();
    withoutDeadline.close();
  }

  /** Less than half of what is under way on any device: by windows, without a deadline too. */
  @Benchmark
  public byte alignedStream1m() throws FallbackException {
    return withoutDeadline.read(buffer, MIB);
  }

  /** As much as is under way on any device: in place. */
  @Benchmark
  public byte alignedStream16m() throws FallbackException {
    return withoutDeadline.read(buffer, DeviceDepth.MOST);
  }

  /** The same by windows: a read that may be given up must not be to the caller's memory. */
  @Benchmark
  public byte alignedStream16mWithDeadline() throws FallbackException {
    return withDeadline.read(buffer, DeviceDepth.MOST);
  }
}
