// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.hdfs.it.RdioClient;
import io.rdio.hdfs.it.ReadMode;
import io.rdio.hdfs.it.SeededFile;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.fs.FSDataInputStream;

/** Reads files again and again by a client of its own; whatever fails, no byte may be wrong. */
final class LoopReader implements Runnable {
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  final ReadMode mode;
  final RdioClient client;

  /** In which all files were read that stay. */
  final AtomicLong rounds = new AtomicLong();

  volatile String lastFailure = "none";
  volatile boolean ended;
  private final List<Part> files;

  /**
   * A file to be read: what there is of it is a beginning.
   *
   * @param least bytes that there are of it while it is there
   * @param stays whether it is there all the time
   */
  record Part(SeededFile file, int least, boolean stays) {}

  LoopReader(ReadMode mode, RdioClient client, List<Part> files) {
    this.mode = mode;
    this.client = client;
    this.files = files;
  }

  @Override
  public void run() {
    while (!ended) {
      boolean whole = true;
      for (Part part : files) {
        whole &= isRead(part.file(), part.least()) || !part.stays();
      }
      if (whole) {
        rounds.incrementAndGet();
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  private boolean isRead(SeededFile file, int least) {
    try (FSDataInputStream in = client.fs().open(file.path())) {
      byte[] got = in.readAllBytes();
      assertThat(got.length).as(file.path().toString()).isGreaterThanOrEqualTo(least);
      file.check(0, got);
      return true;
    } catch (IOException e) {
      lastFailure = file.path() + ": " + e;
      return false;
    }
  }
}
