// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.demo;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Path;
import java.security.MessageDigest;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;

/**
 * A client JVM that reads one file by {@code FileSystem.open}. What it measures is reading: the
 * time within {@code read}, and the CPU of the whole process from the open to the end, less what
 * this thread spent on SHA-256. Writes "at BYTES" while it works and "done SHA256 SECONDS" at the
 * end to standard output.
 */
final class FileSystemReader {
  private static final int BUFFER_BYTES = 1 << 20;
  private static final long STEP_BYTES = 16L << 20;
  private static final double NANOS = 1e9;

  private FileSystemReader() {}

  /** Arguments: the file, and where the {@link ReadReport} goes. */
  public static void main(String[] args) throws IOException {
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    MessageDigest digest = RandomContent.sha256();
    byte[] buffer = new byte[BUFFER_BYTES];
    long readNanos = 0;
    long digestNanos = 0;
    try (FileSystem fs = FileSystem.newInstance(new Configuration())) {
      double cpuBefore = ReadReport.processCpuSeconds();
      long start = System.nanoTime();
      try (FSDataInputStream in = fs.open(new org.apache.hadoop.fs.Path(args[0]))) {
        long bytes = 0;
        int count = in.read(buffer);
        readNanos += System.nanoTime() - start;
        while (count >= 0) {
          long digestStart = threads.getCurrentThreadCpuTime();
          digest.update(buffer, 0, count);
          digestNanos += threads.getCurrentThreadCpuTime() - digestStart;
          if ((bytes + count) / STEP_BYTES > bytes / STEP_BYTES) {
            System.out.println("at " + (bytes + count));
          }
          bytes += count;
          long readStart = System.nanoTime();
          count = in.read(buffer);
          readNanos += System.nanoTime() - readStart;
        }
      }
      double cpu = ReadReport.processCpuSeconds() - cpuBefore - digestNanos / NANOS;
      ReadReport.ofThisJvm(cpu).write(Path.of(args[1]));
    }
    System.out.println("done " + RandomContent.hex(digest) + " " + readNanos / NANOS);
  }
}
