// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockKey;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.StorageStatistics;

/**
 * Whether opening devices pays in this process yet. What it needs for that takes a fresh JVM as
 * long as stock HDFS takes for some hundred megabytes, and nobody knows how much a process is going
 * to read. So it reads as much by stock HDFS first: then it has lost at most twice what would have
 * been best, whichever that is (the ski rental problem: Karlin et al., Competitive Snoopy Caching,
 * 1988, section 2). Thread-safe.
 */
final class YoungProcess {
  /**
   * Whoever lives as long reads on, perhaps by clients that Hadoop's statistics know nothing of.
   */
  static final long OLD_NANOS = TimeUnit.MINUTES.toNanos(1);

  /** This one. */
  static final YoungProcess THIS = new YoungProcess(YoungProcess::bytesRead, System::nanoTime);

  private static final int MOST_UNSERVED = 100;

  private static final String BYTES_READ = "bytesRead";

  private final LongSupplier bytesRead;
  private final LongSupplier nanos;
  private final long firstAsked;

  // Reads that were refused last.
  @GuardedBy("this")
  private final Set<String> refused = new LinkedHashSet<>();

  private volatile boolean old;
  private volatile long seen;

  /**
   * @param bytesRead by this process so far
   * @param nanos as {@link System#nanoTime}
   */
  YoungProcess(LongSupplier bytesRead, LongSupplier nanos) {
    this.bytesRead = bytesRead;
    this.nanos = nanos;
    this.firstAsked = nanos.getAsLong();
  }

  /**
   * Refuses a process that has read less.
   *
   * @param after bytes
   * @throws FallbackException PROCESS_YOUNG
   */
  void requireGrown(long after) throws FallbackException {
    if (old || seen >= after) {
      return;
    }
    if (nanos.getAsLong() - firstAsked >= OLD_NANOS) {
      old = true;
      return;
    }
    long read = bytesRead.getAsLong();
    seen = read;
    if (read < after) {
      throw new FallbackException(
          FallbackReason.PROCESS_YOUNG, read + " bytes were read so far, " + after + " are enough");
    }
  }

  /**
   * The same, but whom stock HDFS does not serve, since DataNodes are dead, is grown from now on,
   * whatever it has read: who comes a second time for what was refused was not served in between.
   *
   * @param after bytes
   * @param length where the read stops, in bytes from the block's start
   * @param missesDataNode whether a DataNode of the block does not answer; asked only before a
   *     refusal
   * @throws FallbackException PROCESS_YOUNG
   */
  void requireGrownOrUnserved(
      long after, BlockKey block, long length, BooleanSupplier missesDataNode)
      throws FallbackException {
    try {
      requireGrown(after);
    } catch (FallbackException e) {
      if (isFirst(block + " to " + length) && !missesDataNode.getAsBoolean()) {
        throw e;
      }
      old = true;
    }
  }

  private synchronized boolean isFirst(String read) {
    boolean first = refused.add(read);
    if (refused.size() > MOST_UNSERVED) {
      refused.remove(refused.iterator().next());
    }
    return first;
  }

  /** By all of Hadoop's file systems, whichever of them is HDFS. */
  private static long bytesRead() {
    long sum = 0;
    Iterator<StorageStatistics> all = FileSystem.getGlobalStorageStatistics().iterator();
    while (all.hasNext()) {
      Long bytes = all.next().getLong(BYTES_READ);
      sum += bytes == null ? 0 : bytes;
    }
    return sum;
  }
}
