// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.client;

import io.rdio.bench.client.Crew.Effort;
import io.rdio.bench.client.Loads.Outcome;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;

/** Reads files by streams as {@link Task.Kind#STREAM} says it, by one way. */
final class Streams {
  private static final double NANOS = 1e9;

  private final ReadWay way;
  private final List<String> files;
  private final int threads;
  private final int readBytes;
  private final long nanos;

  Streams(ReadWay way, Task task) {
    this.way = way;
    this.files = task.files();
    this.threads = task.threads();
    this.readBytes = task.sizes().get(0);
    this.nanos = (long) (task.seconds() * NANOS);
  }

  /**
   * A read counts, and is timed, whenever so much more has come as was to be asked for: in how many
   * pieces that is differs from way to way.
   */
  Outcome run() throws IOException {
    List<Reading> all = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      all.add(new Reading());
    }
    Effort effort = Crew.run(threads, thread -> all.get(thread).run(thread));
    Histogram latencies = Latencies.histogram();
    all.forEach(reading -> latencies.add(reading.latencies));
    long bytes = all.stream().mapToLong(reading -> reading.bytes).sum();
    return new Outcome(bytes, latencies.getTotalCount(), effort, latencies, List.of());
  }

  /** What one thread reads. */
  private final class Reading {
    private final Histogram latencies = Latencies.histogram();
    private long bytes;
    private long timedBytes;
    private long since;

    void run(int thread) throws IOException {
      since = System.nanoTime();
      long end = since + nanos;
      int next = thread * files.size() / threads;
      do {
        read(files.get(next), end);
        next = (next + 1) % files.size();
      } while (System.nanoTime() < end);
    }

    private void read(String file, long end) throws IOException {
      try (ReadWay.Stream stream = way.stream(file, readBytes)) {
        ByteBuffer piece = stream.next();
        while (piece != null) {
          bytes += piece.remaining();
          if (bytes - timedBytes >= readBytes) {
            Latencies.recordSince(latencies, since);
            since = System.nanoTime();
            timedBytes += readBytes;
          }
          piece = System.nanoTime() < end ? stream.next() : null;
        }
      }
    }
  }
}
