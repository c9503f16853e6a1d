// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client;

import io.rdio.hdfs.client.way.ExitLine;
import java.util.Enumeration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.fs.StorageStatistics;
import org.apache.hadoop.util.ShutdownHookManager;
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
      boolean log4jWrites = log4jWrites();
      ShutdownHookManager.get().addShutdownHook(() -> write(log4jWrites), PRIORITY);
    }
  }

  /**
   * MapReduce's tasks shut log4j down before their JVM ends; then it is for the container's stderr.
   */
  private static void write(boolean log4jWroteBefore) {
    String line = ExitLine.of(JvmCounters.READS, bytesFromHdfs()).toString();
    if (log4jWroteBefore && !log4jWrites()) {
      if (LOG.isInfoEnabled()) {
        System.err.println(line);
      }
    } else {
      LOG.info(line);
    }
  }

  /** By reflection, for others than Hadoop's own programs may have another system of logs. */
  private static boolean log4jWrites() {
    try {
      Object root =
          Class.forName("org.apache.log4j.Logger").getMethod("getRootLogger").invoke(null);
      Object appenders =
          Class.forName("org.apache.log4j.Category").getMethod("getAllAppenders").invoke(root);
      return ((Enumeration<?>) appenders).hasMoreElements();
    } catch (ReflectiveOperationException | LinkageError e) {
      return false;
    }
  }

  /** As Hadoop's statistics have it: what was read by a DFSClient alone is not in them. */
  private static long bytesFromHdfs() {
    StorageStatistics hdfs = RdioStorageStatistics.of(HDFS);
    Long bytes = hdfs == null ? null : hdfs.getLong(RdioStorageStatistics.BYTES_READ);
    return bytes == null ? 0 : bytes;
  }
}
