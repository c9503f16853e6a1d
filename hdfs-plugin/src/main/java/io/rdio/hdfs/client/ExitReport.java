// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client;

import io.rdio.client.counters.ClientCounters;
import io.rdio.core.FallbackReason;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.fs.StorageStatistics;
import org.apache.hadoop.util.ShutdownHookManager;
import org.apache.hadoop.util.StringUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One line in a process's log when it ends: whether RDIO was used, and if not, why. Thread-safe.
 */
final class ExitReport {
  private static final Logger LOG = LoggerFactory.getLogger(ExitReport.class);
  private static final AtomicBoolean REGISTERED = new AtomicBoolean();

  /** Before Hadoop closes file systems, and long before anybody closes the log. */
  private static final int PRIORITY = 50;

  private static final String HDFS = "hdfs";

  private ExitReport() {}

  /** Has this JVM log the line when it ends; once, however often it is called. */
  static void atExit() {
    if (REGISTERED.compareAndSet(false, true)) {
      ShutdownHookManager.get()
          .addShutdownHook(() -> LOG.info(text(JvmCounters.READS, bytesFromHdfs())), PRIORITY);
    }
  }

  /** As Hadoop's statistics have it: what was read by a DFSClient alone is not in them. */
  private static long bytesFromHdfs() {
    StorageStatistics hdfs = RdioStorageStatistics.of(HDFS);
    Long bytes = hdfs == null ? null : hdfs.getLong(RdioStorageStatistics.BYTES_READ);
    return bytes == null ? 0 : bytes;
  }

  /**
   * The line.
   *
   * @param fromHdfs bytes that the process read from HDFS, by any way
   */
  static String text(ClientCounters counters, long fromHdfs) {
    long byRdio = counters.rdioBytes.sum();
    long byAgent = counters.agentBytes.sum();
    long all = Math.max(fromHdfs, byRdio + counters.stockBytes.sum());
    StringBuilder text = new StringBuilder("RDIO: ").append(bytes(all)).append(" read from HDFS, ");
    text.append(bytes(byRdio)).append(" of it by RDIO (").append(percent(byRdio, all)).append(")");
    if (byRdio > 0) {
      text.append(": ").append(bytes(byAgent)).append(" by the agent of this host, ");
      text.append(bytes(byRdio - byAgent)).append(" from devices opened by this process");
    }
    String reasons = reasons(counters);
    return text.append(reasons.isEmpty() ? "" : ". Stock HDFS read for: " + reasons).toString();
  }

  /** Those for which stock HDFS read, the most frequent first. */
  private static String reasons(ClientCounters counters) {
    List<FallbackReason> counted = new ArrayList<>();
    for (FallbackReason reason : FallbackReason.values()) {
      if (counters.fallbacksToStock(reason) > 0) {
        counted.add(reason);
      }
    }
    counted.sort(Comparator.comparingLong(reason -> -counters.fallbacksToStock(reason)));
    List<String> texts = new ArrayList<>();
    for (FallbackReason reason : counted) {
      texts.add(reason + " (" + counters.fallbacksToStock(reason) + ")");
    }
    return String.join(", ", texts);
  }

  private static String bytes(long count) {
    return StringUtils.TraditionalBinaryPrefix.long2String(count, "B", 1);
  }

  private static String percent(long part, long all) {
    return all == 0 ? "nothing" : 100 * part / all + " %";
  }
}
