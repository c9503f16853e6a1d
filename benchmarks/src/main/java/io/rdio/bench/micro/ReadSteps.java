// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.micro;

import io.rdio.client.plane.FileMap;
import io.rdio.client.read.ChunkVerifier;
import io.rdio.core.FallbackException;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.device.BlockDevice;
import io.rdio.core.device.RingQueue;
import io.rdio.core.extent.ExtentCursor;
import io.rdio.core.extent.ExtentList;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;
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

/** The steps of a read, one by one and together. Checksums are verified, maps and CRCs at hand. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
@Fork(1)
@SuppressWarnings("NullAway.Init") // JMH calls prepare() first.
public class ReadSteps {
  private static final int PAGE = 4096;
  private static final int MIB = 1 << 20;
  private static final int DEPTH = 8;
  private static final int CHUNK = 512;
  private static final int RUN_STEP = 64 << 10;
  private static final int FRAGMENTS = 1000;

  private final SplittableRandom random = new SplittableRandom(1);
  private final byte[] array = new byte[MIB];
  private final ByteBuffer buffer = ByteBuffer.allocateDirect(MIB + PAGE).alignedSlice(PAGE);
  // Direct as in reads: librdio is asked only where all is.
  private final ByteBuffer crcs = ByteBuffer.allocateDirect(MIB / CHUNK * Integer.BYTES);
  private final ChunkVerifier verifier = new ChunkVerifier();
  private final ChunkVerifier byJava = new ChunkVerifier(false);
  private final ChecksumSpec checksum = new ChecksumSpec(ChecksumSpec.Type.CRC32C, CHUNK, 7);
  private final ExtentCursor cursor = new ExtentCursor();
  private final int[] tickets = new int[DEPTH];
  private ExtentList fragments;
  private BlockDevice device;
  private RingQueue ring;
  private ReplicaAccessor open;
  private ReplicaAccessor run;
  private long runAt;
  private long start;

  /** Makes ready what a step is given by the ones before it. */
  @Setup(Level.Trial)
  public void prepare(WarmBlock block) throws IOException, FallbackException {
    device = block.device();
    ring = RingQueue.open();
    open = block.accessor(block.length());
    run = block.accessor(block.length());
    start = block.map().blockExtents().physical(0);
    long[] physical = new long[FRAGMENTS];
    long[] length = new long[FRAGMENTS];
    for (int i = 0; i < FRAGMENTS; i++) {
      physical[i] = (long) random.nextInt(MIB) * PAGE;
      length[i] = PAGE;
    }
    fragments = ExtentList.of(physical, length);
    CRC32C crc = new CRC32C();
    for (int i = 0; i < MIB / CHUNK; i++) {
      crc.reset();
      crc.update(buffer.slice(i * CHUNK, CHUNK));
      crcs.putInt(i * Integer.BYTES, (int) crc.getValue());
    }
  }

  /** Frees what {@link #prepare} made. */
  @TearDown(Level.Trial)
  public void close() throws IOException {
    open.close();
    run.close();
    ring.close();
  }

  @Benchmark
  public FileMap mapHit(WarmBlock block) throws FallbackException {
    return block.map();
  }

  /** 64 KiB of a file of a thousand fragments of one page. */
  @Benchmark
  public long slicing64k() {
    cursor.seek(fragments, random.nextInt(FRAGMENTS - 16) * (long) PAGE, 16 * PAGE);
    long sum = 0;
    while (cursor.next()) {
      sum += cursor.physical();
    }
    return sum;
  }

  @Benchmark
  public int crc1m() {
    return verifier.chunks(checksum, buffer.clear(), 0, MIB).against(crcs, 0).check();
  }

  /** The same by Java's own class, as where librdio is not available. */
  @Benchmark
  public int javaCrc1m() {
    return byJava.chunks(checksum, buffer.clear(), 0, MIB).against(crcs, 0).check();
  }

  @Benchmark
  public void device4k() throws FallbackException {
    buffer.clear().limit(PAGE);
    device.read(start + random.nextInt(MIB / PAGE) * (long) PAGE, buffer);
  }

  @Benchmark
  public void device1m() throws FallbackException {
    buffer.clear().limit(MIB);
    device.read(start, buffer);
  }

  /** 1 MiB as eight requests at a time. */
  @Benchmark
  public void device1mDepth8() throws FallbackException {
    int piece = MIB / DEPTH;
    for (int i = 0; i < DEPTH; i++) {
      tickets[i] = ring.prepare(device, start + i * (long) piece, buffer, i * piece, piece);
    }
    ring.submit();
    for (int ticket : tickets) {
      if (ring.await(ticket) != piece) {
        throw new IllegalStateException("a read from " + device.name() + " failed");
      }
    }
  }

  /** By an accessor that is open. */
  @Benchmark
  public int openAccessor4k(WarmBlock block) throws IOException {
    return open.read(page(block), array, 0, PAGE);
  }

  /** In order, by an accessor that is open; another one from the block's end on. */
  @Benchmark
  public int sequential64k(WarmBlock block) throws IOException {
    if (runAt + RUN_STEP > block.length()) {
      run.close();
      run = block.accessor(block.length());
      runAt = 0;
    }
    int count = run.read(runAt, array, 0, RUN_STEP);
    runAt += count;
    return count;
  }

  /** By an accessor that is open, to memory that is aligned. */
  @Benchmark
  public int aligned1m(WarmBlock block) throws IOException {
    long at = random.nextLong((block.length() - MIB) / PAGE) * PAGE;
    return open.read(at, buffer.clear().limit(MIB));
  }

  /** All of what HDFS asks for at a positional read: a new accessor, the read, its close. */
  @Benchmark
  public int positional4k(WarmBlock block) throws IOException {
    return positional(block, page(block), PAGE);
  }

  @Benchmark
  public int positional1m(WarmBlock block) throws IOException {
    return positional(block, random.nextLong(block.length() / CHUNK - MIB / CHUNK) * CHUNK, MIB);
  }

  private int positional(WarmBlock block, long offset, int length) throws IOException {
    ReplicaAccessor accessor = block.accessor(offset + length);
    try {
      return accessor.read(offset, array, 0, length);
    } finally {
      accessor.close();
    }
  }

  private long page(WarmBlock block) {
    return random.nextLong(block.length() / PAGE) * PAGE;
  }
}
