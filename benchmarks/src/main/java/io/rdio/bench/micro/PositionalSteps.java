// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.micro;

import io.rdio.hdfs.client.RdioFileSystem;
import java.io.IOException;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.hdfs.DistributedFileSystem;
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
import org.openjdk.jmh.annotations.Warmup;

/**
 * 4 KiB by position as an application reads them, all by RDIO: through Hadoop's own {@code pread},
 * which has an accessor made for each, and through the stream that goes round it.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
@Fork(1)
public class PositionalSteps {
  private static final int PAGE = 4096;

  /** What a thread reads with. */
  @State(Scope.Thread)
  public static class Reading {
    private final SplittableRandom random = new SplittableRandom(1);
    private final byte[] page = new byte[PAGE];

    int read(FSDataInputStream in, WarmBlock block) throws IOException {
      return in.read(random.nextLong(block.length() / PAGE) * PAGE, page, 0, PAGE);
    }
  }

  /** A stream of each kind, of the file of a block, which closes them. */
  @SuppressWarnings("NullAway.Init") // JMH calls open() first.
  public abstract static class Streams<B extends WarmBlock> {
    private FSDataInputStream hadoops;
    private FSDataInputStream ours;

    void openBy(B block) throws IOException {
      hadoops = block.open(DistributedFileSystem.class);
      ours = block.open(RdioFileSystem.class);
    }

    FSDataInputStream hadoops() {
      return hadoops;
    }

    FSDataInputStream ours() {
      return ours;
    }
  }

  /** Of a client that opens the device. */
  @State(Scope.Benchmark)
  public static class DirectStreams extends Streams<WarmBlock> {
    /** Opens them. */
    @Setup(Level.Trial)
    public void open(WarmBlock block) throws IOException {
      openBy(block);
    }
  }

  /** Of a client of the agent. */
  @State(Scope.Benchmark)
  public static class AgentStreams extends Streams<ServedBlock> {
    /** Opens them. */
    @Setup(Level.Trial)
    public void open(ServedBlock block) throws IOException {
      openBy(block);
    }
  }

  @Benchmark
  public int hadoopPread4k(WarmBlock block, DirectStreams streams, Reading reading)
      throws IOException {
    return reading.read(streams.hadoops(), block);
  }

  @Benchmark
  public int streamPread4k(WarmBlock block, DirectStreams streams, Reading reading)
      throws IOException {
    return reading.read(streams.ours(), block);
  }

  @Benchmark
  public int agentHadoopPread4k(ServedBlock block, AgentStreams streams, Reading reading)
      throws IOException {
    return reading.read(streams.hadoops(), block);
  }

  @Benchmark
  public int agentStreamPread4k(ServedBlock block, AgentStreams streams, Reading reading)
      throws IOException {
    return reading.read(streams.ours(), block);
  }
}
