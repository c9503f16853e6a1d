// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cli;

import io.rdio.client.counters.ClientCounters;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.thread.DaemonThreads;
import io.rdio.hdfs.client.direct.RdioClientContext;
import java.io.IOException;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;

/** Reads one block as any application does, and sees by the counters which way its bytes took. */
final class TestRead {
  private static final int SECONDS_MAX = 60;
  private static final int BUFFER_BYTES = 1 << 20;
  private static final String WHAT = "test read";

  private final Hdfs hdfs;
  private final FileStatus file;
  private final BlockMaps maps;
  private final long length;
  private final ClientCounters counters = RdioClientContext.counters();

  TestRead(Hdfs hdfs, FileStatus file, BlockMaps maps) {
    this.hdfs = hdfs;
    this.file = file;
    this.maps = maps;
    this.length = Math.min(file.getLen(), file.getBlockSize());
  }

  void run(Findings findings) throws IOException {
    long rdioBefore = counters.rdioBytes.sum();
    Map<FallbackReason, Long> before = fallbacks();
    FutureTask<Long> read = new FutureTask<>(this::read);
    // A daemon: a stuck read must not keep the command.
    DaemonThreads.daemon("rdio-test-read", read).start();
    try {
      long nanos = read.get(SECONDS_MAX, TimeUnit.SECONDS);
      long rdioBytes = counters.rdioBytes.sum() - rdioBefore;
      if (rdioBytes >= length) {
        findings.ok(WHAT, text(nanos) + ", all of them from the device");
      } else {
        findings.note(WHAT, text(nanos) + ", " + rdioBytes + " of them from the device");
        explain(before, findings);
      }
    } catch (TimeoutException e) {
      findings.wrong(
          WHAT,
          "no end after " + SECONDS_MAX + " s: " + file.getPath(),
          "see whether 'hdfs dfs -cat' of it works, and the DataNodes' logs");
    } catch (ExecutionException e) {
      findings.wrong(
          WHAT,
          file.getPath() + ": " + Failures.message(e.getCause() == null ? e : e.getCause()),
          "see that stock HDFS can read it: 'hdfs dfs -cat' and 'hdfs fsck'");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      findings.wrong(WHAT, FallbackReason.INTERRUPTED, file.getPath().toString());
    }
  }

  /** Reads the file's first block; the time it took in nanoseconds. */
  private long read() throws IOException {
    byte[] buffer = new byte[BUFFER_BYTES];
    long start = System.nanoTime();
    try (FSDataInputStream in = hdfs.fs().open(file.getPath())) {
      for (long left = length; left > 0; ) {
        int count = in.read(buffer, 0, (int) Math.min(left, buffer.length));
        if (count < 0) {
          throw new IOException("ended " + left + " bytes before its block's end");
        }
        left -= count;
      }
    }
    return System.nanoTime() - start;
  }

  private String text(long nanos) {
    return String.format(
        Locale.ROOT, "%d bytes of %s in %.1f ms", length, Hdfs.source(file.getPath()), nanos / 1e6);
  }

  private Map<FallbackReason, Long> fallbacks() {
    Map<FallbackReason, Long> counts = new EnumMap<>(FallbackReason.class);
    for (FallbackReason reason : FallbackReason.values()) {
      counts.put(reason, counters.fallbacks(reason));
    }
    return counts;
  }

  private void explain(Map<FallbackReason, Long> before, Findings findings) throws IOException {
    String detail = detail();
    boolean counted = false;
    for (Map.Entry<FallbackReason, Long> now : fallbacks().entrySet()) {
      if (now.getValue() > before.getOrDefault(now.getKey(), 0L)) {
        counted = true;
        findings.wrong(WHAT, now.getKey(), detail);
      }
    }
    if (!counted) {
      findings.wrong(
          WHAT,
          "stock HDFS served it and RDIO was not asked",
          "see 'hook' above; HDFS also leaves RDIO out for files that are being written");
    }
  }

  /** What a reader's question for the map ends with now; the counters have only its reason. */
  private String detail() throws IOException {
    try {
      maps.of(Hdfs.source(file.getPath()), hdfs.blocks(file.getPath()).get(0));
      return "";
    } catch (FallbackException e) {
      return e.detail();
    }
  }
}
