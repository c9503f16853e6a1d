// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.resilience;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rdio.hdfs.RdioConfigKeys;
import io.rdio.hdfs.client.RecordingIPFailoverProxyProvider;
import io.rdio.hdfs.client.direct.RdioClientContext;
import io.rdio.hdfs.demo.RandomContent;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.security.MessageDigest;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.ReadStatistics;
import org.apache.hadoop.hdfs.client.HdfsDataInputStream;

/**
 * The JVM that reads. Each line that it is given is a way: {@value #STOCK}, or RDIO with the maps
 * of so many of the files in its cache; then it prints what came of it. Each read is by a client of
 * its own, in a JVM that is warm.
 */
public final class ResilienceReader {
  /** Instead of a number of files. */
  static final int STOCK = -1;

  /** What lines begin with by which a read is told; others are somebody else's. */
  static final String ANSWER = "READ ";

  /** Instead of an answer, if a byte is not what was written. */
  static final String WRONG = "WRONG ";

  private static final int READ_BYTES = 1 << 20;
  private static final int MARGIN_MILLIS = 500;
  private static final double NANOS = 1e9;

  private final List<String> files;
  private final List<String> sha256;
  private final List<String> warmUps;
  private final byte[] buffer = new byte[READ_BYTES];
  private int clients;

  private ResilienceReader(List<String> files, List<String> sha256, List<String> warmUps) {
    this.files = files;
    this.sha256 = sha256;
    this.warmUps = warmUps;
  }

  /**
   * Reads until its input ends.
   *
   * @param args the files, what SHA-256 each has, and others to be read before, each joined by
   *     commas
   */
  public static void main(String[] args) throws IOException {
    ResilienceReader reader = new ResilienceReader(split(args[0]), split(args[1]), split(args[2]));
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, UTF_8));
    PrintStream out = System.out;
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      out.println(reader.answer(Integer.parseInt(line)));
      out.flush();
    }
  }

  private static List<String> split(String joined) {
    return List.of(joined.split(",", -1));
  }

  @SuppressWarnings("try") // the context is only to be closed
  private String answer(int warm) throws IOException {
    Configuration conf = warm == STOCK ? stock() : rdio();
    try (FileSystem fs = FileSystem.newInstance(conf)) {
      if (warm == STOCK) {
        return measured(fs);
      }
      try (RdioClientContext closed = RdioClientContext.get(conf)) {
        // Devices are opened, and dead DataNodes found dead, before the time is taken.
        for (String file : warmUps) {
          read(fs, file);
        }
        for (int i = 0; i < warm; i++) {
          if (!sha256(fs, files.get(i)).equals(sha256.get(i))) {
            return WRONG + files.get(i);
          }
        }
        return measured(fs);
      }
    }
  }

  private static Configuration stock() {
    Configuration conf = new Configuration();
    conf.set("dfs.client.replica.accessor.builder.classes", "");
    return conf;
  }

  /** Each with a margin of its own: clients that have all settings in common share their maps. */
  private Configuration rdio() {
    Configuration conf = new Configuration();
    conf.set(RdioConfigKeys.CLIENT_METADATA_PLANE.name(), "auto");
    conf.set(RdioConfigKeys.CLIENT_AGENT.name(), "off");
    conf.set(RdioConfigKeys.CLIENT_LEASE_MARGIN.name(), MARGIN_MILLIS + clients++ + "ms");
    conf.set(
        "dfs.client.failover.proxy.provider." + FileSystem.getDefaultUri(conf).getHost(),
        RecordingIPFailoverProxyProvider.class.getName());
    return conf;
  }

  private String measured(FileSystem fs) {
    long start = System.nanoTime();
    long rdioBefore = RdioClientContext.counters().rdioBytes.sum();
    long bytes = 0;
    long decodeMillis = 0;
    try {
      for (String file : files) {
        ReadStatistics statistics = read(fs, file);
        bytes += statistics.getTotalBytesRead();
        decodeMillis += statistics.getTotalEcDecodingTimeMillis();
      }
    } catch (IOException | RuntimeException e) {
      // Of the latter HDFS's striped stream throws some when too many blocks are missing.
      return ANSWER + Outcome.FAILED.toLine();
    }
    double seconds = (System.nanoTime() - start) / NANOS;
    long byRdio = RdioClientContext.counters().rdioBytes.sum() - rdioBefore;
    return ANSWER + new Outcome(seconds, bytes, byRdio, decodeMillis).toLine();
  }

  private ReadStatistics read(FileSystem fs, String file) throws IOException {
    try (FSDataInputStream in = fs.open(new Path(file))) {
      while (in.read(buffer, 0, buffer.length) >= 0) {
        // On to the end.
      }
      return ((HdfsDataInputStream) in).getReadStatistics();
    }
  }

  private String sha256(FileSystem fs, String file) throws IOException {
    MessageDigest digest = RandomContent.sha256();
    try (FSDataInputStream in = fs.open(new Path(file))) {
      for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
        digest.update(buffer, 0, n);
      }
    }
    return RandomContent.hex(digest);
  }
}
