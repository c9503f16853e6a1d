// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.micro;

import io.rdio.client.read.BlockReader;
import io.rdio.client.read.ChunkVerifier;
import io.rdio.core.FallbackException;
import io.rdio.core.block.ChecksumSpec;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.hdfs.DistributedFileSystem;
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

/**
 * 1 MiB after the other of a block, to an array, from its start to its end and again: all of it,
 * what is left without Hadoop, where the reader's thread is meanwhile, and the device alone.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
@Fork(1)
public class StreamSteps {
  private static final int MIB = 1 << 20;
  private static final int CHUNK = 512;

  private final byte[] array = new byte[MIB];

  /** Hadoop's stream. */
  @State(Scope.Thread)
  @SuppressWarnings("NullAway.Init") // JMH calls open() first.
  public static class HadoopStream {
    private FSDataInputStream in;
    private long length;
    private long at;

    /** Opens it; the block closes it. */
    @Setup(Level.Trial)
    public void open(WarmBlock block) throws IOException {
      in = block.open(DistributedFileSystem.class);
      length = block.length();
    }

    void read(byte[] to) throws IOException {
      if (at + to.length > length) {
        in.seek(0);
        at = 0;
      }
      in.readFully(to, 0, to.length);
      at += to.length;
    }
  }

  /** What HDFS reads by: a new accessor each time that the block begins. */
  @State(Scope.Thread)
  @SuppressWarnings("NullAway.Init") // JMH calls open() first.
  public static class Accessor {
    private ReplicaAccessor accessor;
    private long at;

    /** Opens the first one. */
    @Setup(Level.Trial)
    public void open(WarmBlock block) {
      accessor = block.accessor(block.length());
    }

    /** Closes the last one. */
    @TearDown(Level.Trial)
    public void close() throws IOException {
      accessor.close();
    }

    int read(WarmBlock block, byte[] to) throws IOException {
      if (at + to.length > block.length()) {
        accessor.close();
        accessor = block.accessor(block.length());
        at = 0;
      }
      int count = accessor.read(at, to, 0, to.length);
      at += count;
      return count;
    }
  }

  /** What the accessor reads by, with queues that are timed. */
  @State(Scope.Thread)
  @SuppressWarnings("NullAway.Init") // JMH calls open() first.
  public static class Reader {
    private TimedReads reads;
    private BlockReader reader;
    private long at;

    /** Opens the first one. */
    @Setup(Level.Trial)
    public void open(WarmBlock block) throws FallbackException {
      reads = block.timedReads();
      reader = reads.reader(block.request(), block.length());
    }

    /** Closes the last one. */
    @TearDown(Level.Trial)
    public void close() {
      reader.close();
      reads.close();
    }

    void read(WarmBlock block, byte[] to) throws FallbackException {
      if (at + to.length > block.length()) {
        reader.close();
        reader = reads.reader(block.request(), block.length());
        at = 0;
      }
      reader.read(at, to, 0, to.length);
      at += to.length;
    }
  }

  /** Windows as a run has them, with CRCs that match, in turn: none is in the nearest caches. */
  @State(Scope.Thread)
  @SuppressWarnings("NullAway.Init") // JMH calls fill() first.
  public static class Windows {
    private final ChecksumSpec checksum = new ChecksumSpec(ChecksumSpec.Type.CRC32C, CHUNK, 7);
    private final ChunkVerifier verifier = new ChunkVerifier();
    private final ByteBuffer crcs = ByteBuffer.allocateDirect(MIB / CHUNK * Integer.BYTES);
    private List<ByteBuffer> windows;
    private int next;

    /** Makes them. */
    @Setup(Level.Trial)
    public void fill() {
      windows = RunMemory.windows();
      windows.forEach(window -> window.put(0, new byte[MIB])); // so that each has its memory
      CRC32C crc = new CRC32C();
      crc.update(new byte[CHUNK]);
      for (int i = 0; i < crcs.capacity(); i += Integer.BYTES) {
        crcs.putInt(i, (int) crc.getValue());
      }
    }

    int copy(byte[] to) {
      ByteBuffer window = windows.get(next);
      next = (next + 1) % windows.size();
      return verifier.chunks(checksum, window, 0, MIB).against(crcs, 0).copy(0, MIB, to, 0);
    }
  }

  /** What an application waits for: Hadoop's wrappers, and RDIO below them. */
  @Benchmark
  public byte hadoopStream1m(HadoopStream stream) throws IOException {
    stream.read(array);
    return array[0];
  }

  /** Without Hadoop's wrappers. */
  @Benchmark
  public int accessorStream1m(WarmBlock block, Accessor accessor) throws IOException {
    return accessor.read(block, array);
  }

  /** Where its thread is: asking the device, waiting for it, and the rest. */
  @Benchmark
  public byte readerStream1m(WarmBlock block, Reader reader) throws FallbackException {
    reader.read(block, array);
    return array[0];
  }

  /** Of that rest, what checking and copying takes; else it is RDIO's own code. */
  @Benchmark
  public int verifyCopy1m(Windows windows) {
    return windows.copy(array);
  }

  /** The device by itself. */
  @Benchmark
  public byte rawStream1m(RawStream stream) throws FallbackException {
    return stream.next().get(0);
  }
}
