// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.twolevel;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * Reads one file of HDFS as a {@link ReadPlan} has it, pass by pass; the same reads each time.
 * Chunks of Zipf's workload have {@value #CHUNK_BYTES} bytes, as HBase's blocks, and are read by
 * {@value #THREADS} threads; four records share one, and popular records lie anywhere ({@link
 * YcsbC}). For one thread.
 */
final class HdfsReads {
  static final int CHUNK_BYTES = 64 << 10;
  static final int THREADS = 4;

  private static final int STREAM_BUFFER_BYTES = 1 << 20;
  private static final long SEED = 42;

  private final FileSystem fs;
  private final Path path;
  private final long bytes;
  private final List<Integer> chunks;
  private int next; // Of the chunks; the first that no pass has read.

  /**
   * @param bytes of the file, a multiple of {@value #CHUNK_BYTES}
   */
  HdfsReads(ReadPlan plan, FileSystem fs, Path path, long bytes) throws IOException {
    this.fs = fs;
    this.path = path;
    this.bytes = bytes;
    this.chunks =
        plan.workload().equals(ReadPlan.ZIPF)
            ? popular(chunksOf(bytes), plan.allPasses())
            : List.of();
  }

  private static int chunksOf(long bytes) {
    return Math.toIntExact(bytes / CHUNK_BYTES);
  }

  /** The chunks of all passes, one after the other. */
  static List<Integer> popular(int chunks, int passes) throws IOException {
    List<Integer> picked = new ArrayList<>(chunks * passes);
    new YcsbC(0.99, passes, SEED).replay(chunks, (first, count) -> picked.add(first));
    return picked;
  }

  /** Does the next pass. */
  void pass() throws IOException {
    if (chunks.isEmpty()) {
      scan();
    } else {
      int end = next + chunksOf(bytes);
      read(chunks.subList(next, end));
      next = end;
    }
  }

  private void scan() throws IOException {
    byte[] buffer = new byte[STREAM_BUFFER_BYTES];
    long read = 0;
    try (FSDataInputStream in = fs.open(path)) {
      for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
        read += count;
      }
    }
    if (read != bytes) {
      throw new IOException(path + " has " + read + " bytes and not " + bytes);
    }
  }

  private void read(List<Integer> picked) throws IOException {
    AtomicInteger taken = new AtomicInteger();
    ExecutorService pool = Executors.newFixedThreadPool(THREADS);
    try (FSDataInputStream in = fs.open(path)) {
      List<Future<?>> reading = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        reading.add(
            pool.submit(
                () -> {
                  readFrom(in, picked, taken);
                  return null;
                }));
      }
      for (Future<?> each : reading) {
        each.get();
      }
    } catch (ExecutionException e) {
      throw new IOException("reading " + path + ": " + e.getCause(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while reading " + path);
    } finally {
      pool.shutdownNow();
    }
  }

  private static void readFrom(FSDataInputStream in, List<Integer> picked, AtomicInteger taken)
      throws IOException {
    byte[] buffer = new byte[CHUNK_BYTES];
    for (int i = taken.getAndIncrement(); i < picked.size(); i = taken.getAndIncrement()) {
      in.readFully((long) picked.get(i) * CHUNK_BYTES, buffer);
    }
  }
}
