// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.load;

import io.rdio.hdfs.cluster.ProcessEnd;
import io.rdio.hdfs.demo.RandomContent;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.ProcessBuilder.Redirect;
import java.util.SplittableRandom;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/** The applications of {@link MixedLoad}, and the files that they read. Each is for one thread. */
final class Applications {
  /** Of HDFS: small, so that each large file lies on both DataNodes. */
  static final long BLOCK_BYTES = 16L << 20;

  private static final Path STREAMED = new Path("/load/streamed");
  private static final Path PROBED = new Path("/load/probed");
  private static final long LARGE_BYTES = 16 * BLOCK_BYTES;
  private static final int SMALL_FILES = 256;
  private static final int SMALL_BYTES = 1 << 20;
  private static final int PROBE_BYTES = 16 << 10;

  private Applications() {}

  /** Writes what they read. */
  static void writeFiles(FileSystem fs) throws IOException {
    write(fs, STREAMED, LARGE_BYTES);
    write(fs, PROBED, LARGE_BYTES / 2);
    for (int i = 0; i < SMALL_FILES; i++) {
      write(fs, small(i), SMALL_BYTES);
    }
  }

  private static void write(FileSystem fs, Path file, long bytes) throws IOException {
    try (OutputStream out = fs.create(file)) {
      RandomContent.write(out, file.hashCode(), bytes, written -> {});
    }
  }

  private static Path small(int number) {
    return new Path("/load/small-" + number);
  }

  private static void readWhole(FileSystem fs, Path file, byte[] buffer) throws IOException {
    try (FSDataInputStream in = fs.open(file)) {
      in.readNBytes(buffer, 0, buffer.length);
    }
  }

  /** Reads the one file from its begin to its end, again and again. */
  static final class Stream implements MixedLoad.Step, Closeable {
    private static final int STEP_BYTES = 8 << 20;

    private final FSDataInputStream in;
    private final byte[] buffer = new byte[STEP_BYTES];

    Stream(FileSystem fs) throws IOException {
      in = fs.open(STREAMED);
    }

    @Override
    public void take() throws IOException {
      if (in.readNBytes(buffer, 0, STEP_BYTES) < STEP_BYTES) {
        in.seek(0);
      }
    }

    @Override
    public void close() throws IOException {
      in.close();
    }
  }

  /** Reads a file by position, its front more often than its end. */
  static final class Probes implements MixedLoad.Step, Closeable {
    private static final int AT_ONCE = 8;
    private static final double SKEW = 3;

    private final FSDataInputStream in;
    private final SplittableRandom random = new SplittableRandom(1);
    private final byte[] buffer = new byte[PROBE_BYTES];

    Probes(FileSystem fs) throws IOException {
      in = fs.open(PROBED);
    }

    @Override
    public void take() throws IOException {
      long places = LARGE_BYTES / 2 / PROBE_BYTES;
      for (int i = 0; i < AT_ONCE; i++) {
        long place = (long) (places * Math.pow(random.nextDouble(), SKEW));
        in.readFully(place * PROBE_BYTES, buffer);
      }
    }

    @Override
    public void close() throws IOException {
      in.close();
    }
  }

  /** Reads small files, one after the other. */
  static final class SmallFiles implements MixedLoad.Step {
    private final FileSystem fs;
    private final byte[] buffer = new byte[SMALL_BYTES];
    private int next;

    SmallFiles(FileSystem fs) {
      this.fs = fs;
    }

    @Override
    public void take() throws IOException {
      readWhole(fs, small(next), buffer);
      next = (next + 1) % SMALL_FILES;
    }
  }

  /** Writes a file, reads it, appends to it, reads it again and deletes it. */
  static final class Changes implements MixedLoad.Step {
    private static final Path FILE = new Path("/load/changed");

    private final FileSystem fs;
    private final byte[] buffer = new byte[2 * SMALL_BYTES];

    Changes(FileSystem fs) {
      this.fs = fs;
    }

    @Override
    public void take() throws IOException {
      write(fs, FILE, SMALL_BYTES);
      readWhole(fs, FILE, buffer);
      try (OutputStream out = fs.append(FILE)) {
        out.write(buffer, 0, PROBE_BYTES);
      }
      readWhole(fs, FILE, buffer);
      fs.delete(FILE, false);
    }
  }

  /** Reads a file by a process that lives no longer than that. */
  static void cat(ScrapedCluster cluster) throws IOException {
    Process process =
        cluster
            .shell("-cat", PROBED.toString())
            .redirectOutput(Redirect.DISCARD)
            .redirectError(Redirect.INHERIT)
            .start();
    cluster.killLater(process);
    int status = ProcessEnd.statusOf(process, "hdfs dfs -cat");
    if (status != 0) {
      throw new IOException("hdfs dfs -cat ended with status " + status);
    }
  }
}
