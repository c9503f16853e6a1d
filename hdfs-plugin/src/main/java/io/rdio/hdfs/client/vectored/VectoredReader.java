// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.vectored;

import io.rdio.core.thread.DaemonThreads;
import io.rdio.hdfs.RdioConfigKeys;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileRange;
import org.apache.hadoop.fs.VectoredReadUtils;
import org.apache.hadoop.fs.impl.CombinedFileRange;
import org.jspecify.annotations.Nullable;

/**
 * Reads many ranges of a stream: neighbours, as the stream counts them, as one. What RDIO can read
 * is one {@link Submission} by the caller's thread; the rest are ordinary reads, several at a time,
 * of which the caller's thread does one. Thread-safe.
 */
public final class VectoredReader implements AutoCloseable {
  private static final long IDLE_SECONDS = 10;

  private final @Nullable ThreadPoolExecutor threads;
  private volatile boolean closed;

  /**
   * @param count of threads; 0 to read everything by the caller's
   * @param factory makes them, daemons
   */
  VectoredReader(int count, ThreadFactory factory) {
    this.threads = count == 0 ? null : threads(count, factory);
  }

  /** With as many threads as {@code dfs.client.rdio.vectored.threads} says. */
  public static VectoredReader of(Configuration conf) {
    int count = RdioConfigKeys.CLIENT_VECTORED_THREADS.get(conf);
    return new VectoredReader(count, new DaemonThreads("rdio-vectored"));
  }

  private static ThreadPoolExecutor threads(int count, ThreadFactory factory) {
    ThreadPoolExecutor threads =
        new ThreadPoolExecutor(
            count,
            count,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            factory,
            (work, closed) -> work.run());
    threads.allowCoreThreadTimeOut(true);
    return threads;
  }

  /**
   * Gives each range the future of its bytes, and begins to read them all.
   *
   * @param allocate makes the buffers; called by several threads, as Hadoop's contract says
   * @param release takes buffers back whose read failed
   * @throws IllegalArgumentException for ranges that are invalid or overlap
   */
  void read(
      VectoredInputStream from,
      List<? extends FileRange> ranges,
      IntFunction<ByteBuffer> allocate,
      Consumer<ByteBuffer> release)
      throws EOFException {
    Objects.requireNonNull(allocate, "allocate");
    Objects.requireNonNull(release, "release");
    List<FileRange> sorted = SortedRanges.of(ranges);
    sorted.forEach(range -> range.setData(new CompletableFuture<>()));
    List<CombinedFileRange> all =
        VectoredReadUtils.mergeSortedRanges(
            sorted, 1, from.minSeekForVectorReads(), from.maxReadSizeForVectorReads());
    readEach(from, readTogether(from, all, allocate, release), allocate, release);
  }

  /** Reads each of them, several at a time, and the last one by this thread. */
  void readEach(
      FSDataInputStream from,
      List<Leftover> all,
      IntFunction<ByteBuffer> allocate,
      Consumer<ByteBuffer> release) {
    List<OneRead> reads = new ArrayList<>();
    for (Leftover left : all) {
      reads.add(new OneRead(left, () -> readMerged(from, left, allocate, release)));
    }
    int begun = 0;
    try {
      for (; begun < reads.size() - 1; begun++) {
        executor().execute(reads.get(begun));
      }
    } catch (RuntimeException | Error e) {
      // No thread to be had, say: nobody must wait for ever for what was not begun.
      fail(reads.subList(begun, reads.size()), e);
      throw e;
    }
    if (!reads.isEmpty()) {
      reads.get(reads.size() - 1).run();
    }
  }

  /** Fails what was not begun: first all who wait for it, then those who are to be told of it. */
  private static void fail(List<OneRead> reads, Throwable failure) {
    List<OneRead> failed = new ArrayList<>(reads);
    failed.removeIf(read -> !read.fail(failure));
    for (OneRead read : failed) {
      try {
        read.left.over();
      } catch (RuntimeException | Error e) {
        if (e != failure) {
          failure.addSuppressed(e);
        }
      }
    }
  }

  /** A read of what is left over: done once, or failed without, whoever comes first. */
  private static final class OneRead implements Runnable {
    private final AtomicBoolean taken = new AtomicBoolean();
    private final Leftover left;
    private final Runnable read;

    OneRead(Leftover left, Runnable read) {
      this.left = left;
      this.read = read;
    }

    @Override
    public void run() {
      if (taken.compareAndSet(false, true)) {
        read.run();
      }
    }

    /**
     * Fails its ranges, unless it was begun, as one may be that an executor has taken before it
     * failed.
     *
     * @return whether it was not: then what was left over is to be told that it is over
     */
    boolean fail(Throwable failure) {
      boolean fails = taken.compareAndSet(false, true);
      if (fails) {
        failAll(left.range().getUnderlying(), failure);
      }
      return fails;
    }
  }

  /** What is left over by a submission: all ranges once this is closed. */
  private List<Leftover> readTogether(
      VectoredInputStream from,
      List<CombinedFileRange> all,
      IntFunction<ByteBuffer> allocate,
      Consumer<ByteBuffer> release) {
    if (closed) {
      return Leftover.ordinary(all); // a read of each says so
    }
    try {
      return from.readTogether(
          all, allocate, release, target -> deliver(target.range(), target.filled(), release));
    } catch (RuntimeException | Error e) {
      // By the caller's own functions, or the JVM: nobody must wait for ever for what is missing.
      all.forEach(merged -> failAll(merged.getUnderlying(), e));
      throw e;
    }
  }

  private Executor executor() {
    return threads == null ? Runnable::run : threads;
  }

  private static void readMerged(
      FSDataInputStream from,
      Leftover left,
      IntFunction<ByteBuffer> allocate,
      Consumer<ByteBuffer> release) {
    CombinedFileRange merged = left.range();
    List<FileRange> ranges = merged.getUnderlying();
    try {
      ByteBuffer bytes = readOne(from, left, allocate, release);
      deliver(merged, bytes, release);
    } catch (EOFException e) {
      // Of the neighbours, those that end in the file can be read nevertheless.
      ranges.forEach(
          range -> {
            if (ranges.size() == 1) {
              range.getData().completeExceptionally(e);
            } else {
              readMerged(
                  from,
                  new Leftover(
                      new CombinedFileRange(
                          range.getOffset(), range.getOffset() + range.getLength(), range),
                      null),
                  allocate,
                  release);
            }
          });
    } catch (IOException | RuntimeException | Error e) {
      failAll(ranges, e);
    }
  }

  private static void failAll(List<FileRange> ranges, Throwable failure) {
    ranges.forEach(range -> range.getData().completeExceptionally(failure));
  }

  /** Gives each its bytes; where all were cancelled meanwhile, nobody else gives these back. */
  private static void deliver(
      CombinedFileRange merged, ByteBuffer bytes, Consumer<ByteBuffer> release) {
    List<FileRange> ranges = merged.getUnderlying();
    boolean taken = false;
    for (FileRange range : ranges) {
      taken |=
          range
              .getData()
              .complete(
                  ranges.size() == 1
                      ? bytes
                      : VectoredReadUtils.sliceTo(bytes, merged.getOffset(), range));
    }
    if (!taken) {
      release.accept(bytes);
    }
  }

  private static ByteBuffer readOne(
      FSDataInputStream from,
      Leftover left,
      IntFunction<ByteBuffer> allocate,
      Consumer<ByteBuffer> release)
      throws IOException {
    @Nullable ByteBuffer made = null;
    boolean good = false;
    try {
      ByteBuffer bytes = allocate.apply(left.range().getLength());
      made = bytes;
      if (!left.readApart(bytes)) {
        from.readFully(left.range().getOffset(), bytes);
      }
      bytes.flip();
      good = true;
      return bytes;
    } finally {
      left.over();
      if (!good && made != null) {
        release.accept(made);
      }
    }
  }

  /** Lets what is under way end; later reads are made one by one, in their callers' threads. */
  @Override
  public void close() {
    closed = true;
    if (threads != null) {
      threads.shutdown();
    }
  }
}
