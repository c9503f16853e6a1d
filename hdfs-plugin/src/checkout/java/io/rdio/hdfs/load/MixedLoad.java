// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.load;

import io.rdio.hdfs.load.Applications.Changes;
import io.rdio.hdfs.load.Applications.Probes;
import io.rdio.hdfs.load.Applications.SmallFiles;
import io.rdio.hdfs.load.Applications.Stream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.hadoop.fs.FileSystem;

/**
 * What several applications do to a cluster at the same time, each a step at a time and at a pace
 * that leaves the machine room. For one run.
 */
final class MixedLoad {
  private static final int THREADS = 6;

  /** For the steps that are under way in the end; that of a process takes longest. */
  private static final Duration LAST_STEP_MAX = Duration.ofSeconds(30);

  // Between two steps, in milliseconds.
  private static final long STREAM_PAUSE = 100;
  private static final long PROBES_PAUSE = 50;
  private static final long SMALL_FILE_PAUSE = 150;
  private static final long CHANGE_PAUSE = 500;
  private static final long PROCESS_PAUSE = 5_000;

  private final ScrapedCluster cluster;
  private final long nanos;
  private final ScheduledExecutorService threads = Executors.newScheduledThreadPool(THREADS);
  private final CompletableFuture<Void> failure = new CompletableFuture<>();

  MixedLoad(ScrapedCluster cluster, Duration duration) {
    this.cluster = cluster;
    this.nanos = duration.toNanos();
  }

  /** A piece of an application's work. */
  interface Step {
    void take() throws IOException;
  }

  /**
   * Reads and changes files for as long as was said; in the middle third of it a job that knows
   * nothing of RDIO reads, too.
   *
   * @throws IOException if an application fails
   */
  void run() throws IOException {
    try (FileSystem rdio = cluster.fileSystem(true);
        FileSystem stock = cluster.fileSystem(false);
        Stream stream = new Stream(rdio);
        Stream stranger = new Stream(stock);
        Probes probes = new Probes(rdio)) {
      every(STREAM_PAUSE, stream);
      every(STREAM_PAUSE, inTheMiddle(stranger));
      every(PROBES_PAUSE, probes);
      every(SMALL_FILE_PAUSE, new SmallFiles(rdio));
      every(CHANGE_PAUSE, new Changes(rdio));
      every(PROCESS_PAUSE, () -> Applications.cat(cluster));
      awaitEnd();
    }
  }

  @SuppressWarnings("FutureReturnValueIgnored") // take() keeps what fails
  private void every(long millis, Step step) {
    threads.scheduleWithFixedDelay(() -> take(step), 0, millis, TimeUnit.MILLISECONDS);
  }

  private void take(Step step) {
    try {
      step.take();
    } catch (Throwable e) {
      failure.completeExceptionally(e);
    }
  }

  private Step inTheMiddle(Step step) {
    long begin = System.nanoTime() + nanos / 3;
    return () -> {
      long since = System.nanoTime() - begin;
      if (since >= 0 && since < nanos / 3) {
        step.take();
      }
    };
  }

  private void awaitEnd() throws IOException {
    try {
      failure.get(nanos, TimeUnit.NANOSECONDS);
    } catch (TimeoutException allWell) {
      // Nothing failed for as long as it was to go on.
    } catch (ExecutionException e) {
      throw new IOException("an application failed: " + e.getCause(), e.getCause());
    } catch (InterruptedException e) {
      throw interrupted();
    } finally {
      threads.shutdown();
    }
    try {
      threads.awaitTermination(LAST_STEP_MAX.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      throw interrupted();
    }
  }

  private static InterruptedIOException interrupted() {
    Thread.currentThread().interrupt();
    return new InterruptedIOException("interrupted under load");
  }
}
