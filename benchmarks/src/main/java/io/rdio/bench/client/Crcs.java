// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.client;

import io.rdio.bench.client.Crew.Effort;
import io.rdio.bench.client.Loads.Outcome;
import io.rdio.client.read.ChunkVerifier;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.nativeio.NativeLibrary;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.SplittableRandom;
import java.util.zip.CRC32C;
import org.HdrHistogram.Histogram;

/** Checks chunks against their CRC32Cs as reads do, and reads nothing. For one thread. */
final class Crcs {
  private static final int BYTES = 1 << 20;
  private static final int CHUNK = 512;
  private static final int META_HEADER = 7;
  private static final double NANOS = 1e9;

  private final boolean byLibrary;
  private final long nanos;
  private final ByteBuffer data;
  private final ByteBuffer crcs = ByteBuffer.allocateDirect(BYTES / CHUNK * ChecksumSpec.CRC_BYTES);

  private Crcs(boolean byLibrary, double seconds, ByteBuffer data) {
    this.byLibrary = byLibrary;
    this.nanos = (long) (seconds * NANOS);
    this.data = data;
  }

  /**
   * As a task says.
   *
   * @param way whose memory Java checks
   */
  static Crcs of(ReadWay way, Task task) {
    boolean byLibrary = task.kind() == Task.Kind.CRC_BY_LIBRARY;
    ByteBuffer data = byLibrary ? ByteBuffer.allocateDirect(BYTES) : way.buffer(BYTES);
    return new Crcs(byLibrary, task.seconds(), data);
  }

  /** Each check of 1 MiB is a read here. */
  Outcome run() throws IOException {
    Histogram latencies = Latencies.histogram();
    if (byLibrary && !NativeLibrary.availability().isAvailable()) {
      return new Outcome(0, 0, new Effort(0, 0, 0), latencies, List.of());
    }
    fill();
    ChunkVerifier verifier = new ChunkVerifier(byLibrary);
    ChecksumSpec checksum = new ChecksumSpec(ChecksumSpec.Type.CRC32C, CHUNK, META_HEADER);
    Effort effort =
        Crew.run(
            1,
            thread -> {
              long end = System.nanoTime() + nanos;
              do {
                long start = System.nanoTime();
                int bad = verifier.chunks(checksum, data, 0, BYTES).against(crcs, 0).check();
                Latencies.recordSince(latencies, start);
                requireGood(bad);
              } while (System.nanoTime() < end);
            });
    long count = latencies.getTotalCount();
    return new Outcome(count * BYTES, count, effort, latencies, List.of());
  }

  private void fill() {
    byte[] bytes = new byte[BYTES];
    new SplittableRandom(1).nextBytes(bytes);
    data.clear().put(bytes);
    CRC32C crc = new CRC32C();
    for (int i = 0; i < BYTES / CHUNK; i++) {
      crc.reset();
      crc.update(bytes, i * CHUNK, CHUNK);
      crcs.putInt(i * ChecksumSpec.CRC_BYTES, (int) crc.getValue());
    }
  }

  private void requireGood(int bad) throws IOException {
    if (bad != ChunkVerifier.ALL_GOOD) {
      throw new IOException(
          "WRONG: the CRC32C of chunk " + bad + " by " + (byLibrary ? "librdio" : "Java"));
    }
  }
}
