// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.it;

import io.rdio.client.counters.ClientCounters;
import io.rdio.core.FallbackReason;
import io.rdio.hdfs.client.JvmCounters;
import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.cluster.HadoopClassPath;
import io.rdio.hdfs.cluster.HadoopJvm;
import io.rdio.hdfs.cluster.ProcessEnd;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileRange;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/** A client in a JVM of its own: reads one file and says what it got and by which way. */
public final class ReadOnce {
  /** What the last child wrote to its standard error. */
  public static final java.nio.file.Path ERRORS = java.nio.file.Path.of("target", "read-once.err");

  private static final String MARK = "READ-ONCE ";
  private static final int RANGE = 700_000;

  private ReadOnce() {}

  /**
   * What the child printed: CRC32C of the bytes, bytes by RDIO and of these by the agent, and
   * reasons with their counts.
   */
  public record Result(long crc, long rdioBytes, long agentBytes, String fallbacks) {}

  /** Reads a file by one call for several ranges of it. */
  public static final String VECTORED = "vectored";

  /**
   * Arguments: the file's path; for positional reads how many bytes each has, or {@link #VECTORED};
   * else a stream.
   */
  public static void main(String[] args) throws IOException {
    Configuration conf = new Configuration();
    CRC32C crc = new CRC32C();
    try (FileSystem fs = FileSystem.newInstance(conf);
        FSDataInputStream in = fs.open(new Path(args[0]))) {
      if (args.length > 1 && args[1].equals(VECTORED)) {
        readVectored(in, fs.getFileStatus(new Path(args[0])).getLen(), crc);
      } else if (args.length > 1) {
        readPositional(in, Integer.parseInt(args[1]), crc);
      } else {
        readStream(in, crc);
      }
      ClientCounters counters = JvmCounters.READS;
      List<String> reasons = new ArrayList<>();
      for (FallbackReason reason : FallbackReason.values()) {
        if (counters.fallbacks(reason) > 0) {
          reasons.add(reason + "=" + counters.fallbacks(reason));
        }
      }
      System.out.println(
          MARK
              + crc.getValue()
              + " "
              + counters.rdioBytes.sum()
              + " "
              + counters.agentBytes.sum()
              + " "
              + String.join(",", reasons));
    }
  }

  private static void readVectored(FSDataInputStream in, long length, CRC32C crc)
      throws IOException {
    List<FileRange> ranges = new ArrayList<>();
    for (long at = 0; at < length; at += RANGE) {
      ranges.add(FileRange.createFileRange(at, (int) Math.min(RANGE, length - at)));
    }
    in.readVectored(ranges, ByteBuffer::allocate);
    for (FileRange range : ranges) {
      crc.update(range.getData().join());
    }
  }

  private static void readStream(FSDataInputStream in, CRC32C crc) throws IOException {
    byte[] piece = new byte[10_000];
    for (int count = in.read(piece); count >= 0; count = in.read(piece)) {
      crc.update(piece, 0, count);
    }
  }

  private static void readPositional(FSDataInputStream in, int bytes, CRC32C crc)
      throws IOException {
    byte[] piece = new byte[bytes];
    long at = 0;
    for (int count = in.read(at, piece, 0, bytes); count >= 0; ) {
      crc.update(piece, 0, count);
      at += count;
      count = in.read(at, piece, 0, bytes);
    }
  }

  /**
   * Runs it against a cluster.
   *
   * @param conf its HADOOP_CONF_DIR
   * @param prefix a command that runs the JVM, such as setpriv with its options; or nothing
   * @param more arguments behind the file
   */
  public static Result run(
      Cluster cluster,
      java.nio.file.Path conf,
      List<String> prefix,
      List<String> jvmOptions,
      Path file,
      String... more)
      throws IOException {
    List<String> arguments = new ArrayList<>(List.of(ReadOnce.class.getName(), file.toString()));
    arguments.addAll(List.of(more));
    ProcessBuilder builder = cluster.jvm(conf, jvmOptions, arguments.toArray(String[]::new));
    List<String> command = new ArrayList<>(prefix);
    command.addAll(builder.command());
    return result(cluster, builder.command(command));
  }

  /** Runs it as a client of another Hadoop than the cluster's. */
  public static Result runOn(
      HadoopClassPath hadoop, Cluster cluster, java.nio.file.Path conf, Path file, String... more)
      throws IOException {
    List<String> arguments = new ArrayList<>(List.of(ReadOnce.class.getName(), file.toString()));
    arguments.addAll(List.of(more));
    return result(
        cluster,
        HadoopJvm.of(
            cluster.folder(),
            conf,
            hadoop,
            List.of("-XX:TieredStopAtLevel=1"),
            arguments.toArray(String[]::new)));
  }

  private static Result result(Cluster cluster, ProcessBuilder reader) throws IOException {
    Process child =
        reader.redirectError(ERRORS.toFile()).redirectOutput(ProcessBuilder.Redirect.PIPE).start();
    cluster.killLater(child);
    ProcessEnd end = ProcessEnd.of(child, "who reads once");
    String line =
        Arrays.stream(end.output().split("\n", -1))
            .filter(text -> text.startsWith(MARK))
            .findFirst()
            .orElseThrow(() -> new IOException(end.toString()));
    String[] fields = line.substring(MARK.length()).split(" ", -1);
    return new Result(
        Long.parseLong(fields[0]), Long.parseLong(fields[1]), Long.parseLong(fields[2]), fields[3]);
  }

  public static long crcOf(byte[] bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes);
    return crc.getValue();
  }
}
