// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.operations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rdio.core.FallbackReason;
import io.rdio.hdfs.it.Counts;
import io.rdio.hdfs.it.ReadMode;
import io.rdio.hdfs.it.SeededFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;

/**
 * A reader that reads a file again and again while something happens to the cluster: by position,
 * and then the whole of it, by a new stream each time. Every read is checked, and none may fail.
 * For what it counts, no other reader of its mode may be at work in this JVM.
 */
final class ReaderAtWork implements AutoCloseable {
  private static final int SECONDS_MAX = 60;
  private static final int PIECE_MAX = 50_000;

  private final AtomicBoolean over = new AtomicBoolean();
  private final AtomicLong bytes = new AtomicLong();
  private final AtomicLong longestNanos = new AtomicLong();
  private final AtomicLong roundsByRdio = new AtomicLong();
  private final Counts counts;
  private final long rdioBefore;
  private final CompletableFuture<Void> reads;

  private ReaderAtWork(ReadMode mode, FileSystem rdio, SeededFile file) {
    counts = Counts.of(mode);
    rdioBefore = counts.rdioBytes();
    reads = CompletableFuture.runAsync(() -> readUntilOver(rdio, file));
  }

  static ReaderAtWork start(ReadMode mode, FileSystem rdio, SeededFile file) {
    return new ReaderAtWork(mode, rdio, file);
  }

  /**
   * What a reader saw.
   *
   * @param byRdio of its bytes, from 0 to 1
   */
  record Seen(double byRdio, double longestSeconds, Map<FallbackReason, Long> reasons) {}

  /** Returns when all of a round that began after now was by RDIO; fails if a read did. */
  void awaitByRdio() {
    long before = roundsByRdio.get();
    await("a round by RDIO")
        .atMost(SECONDS_MAX, TimeUnit.SECONDS)
        .until(() -> reads.isDone() || roundsByRdio.get() > before + 1);
    assertThat(reads).isNotDone();
  }

  /** Lets it end; fails if one of its reads did. */
  Seen end() throws Exception {
    over.set(true);
    reads.get(SECONDS_MAX, TimeUnit.SECONDS);
    double byRdio = (double) (counts.rdioBytes() - rdioBefore) / bytes.get();
    return new Seen(byRdio, longestNanos.get() / 1e9, counts.fallbacks());
  }

  private void readUntilOver(FileSystem rdio, SeededFile file) {
    Random random = new Random(7);
    try {
      do {
        long before = bytes.get() - counts.rdioBytes();
        try (FSDataInputStream in = rdio.open(file.path())) {
          for (int i = 0; i < 20; i++) {
            byte[] got = new byte[1 + random.nextInt(PIECE_MAX)];
            int at = random.nextInt(file.bytes().length - got.length);
            timed(() -> in.readFully(at, got));
            check(file, at, got);
          }
          byte[] all = new byte[file.bytes().length];
          timed(() -> in.readFully(all));
          check(file, 0, all);
        }
        if (bytes.get() - counts.rdioBytes() == before) {
          roundsByRdio.incrementAndGet();
        }
      } while (!over.get());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Another file, whose bytes count as this reader's; for one thread. */
  void readOnce(FileSystem rdio, SeededFile file) throws IOException {
    try (FSDataInputStream in = rdio.open(file.path())) {
      byte[] all = new byte[file.bytes().length];
      timed(() -> in.readFully(all));
      check(file, 0, all);
    }
  }

  private interface Read {
    void run() throws IOException;
  }

  private void timed(Read read) throws IOException {
    long begun = System.nanoTime();
    read.run();
    longestNanos.accumulateAndGet(System.nanoTime() - begun, Math::max);
  }

  private void check(SeededFile file, long at, byte[] got) {
    file.check(at, got);
    bytes.addAndGet(got.length);
  }

  /** Lets it end where the test has failed. */
  @Override
  public void close() {
    over.set(true);
    assertThat(reads.handle((nothing, failure) -> true))
        .as("the reader ends")
        .succeedsWithin(SECONDS_MAX, TimeUnit.SECONDS);
  }
}
