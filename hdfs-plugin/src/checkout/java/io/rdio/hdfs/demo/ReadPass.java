// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.demo;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rdio.hdfs.RdioConfigKeys;
import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.cluster.Proc;
import io.rdio.hdfs.cluster.ProcessEnd;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * One reading of the file by one client JVM, with cold page cache.
 *
 * @param bytes length of the file
 * @param sha256 of what was read
 * @param seconds that reading took: within {@code read} for FileSystem.open, from the first byte to
 *     the last for -cat
 * @param dataNodeCpuSeconds user and system time that the DataNode's process used meanwhile
 * @param loopbackBytes bytes that crossed the loopback interface meanwhile
 * @param report what the client JVM counted
 */
record ReadPass(
    Way way,
    Side side,
    long bytes,
    String sha256,
    double seconds,
    double dataNodeCpuSeconds,
    long loopbackBytes,
    ReadReport report) {
  private static final List<String> CLIENT_OPTIONS = List.of("-Xmx512m", "-Drdio.log.level=WARN");
  private static final double NANOS = 1e9;
  private static final int BUFFER_BYTES = 1 << 16;

  /** What a JVM may take beside a second for each of {@link #SLOWEST_SECOND}. */
  private static final Duration PATIENCE = Duration.ofMinutes(10);

  /** Bytes that even the slowest disk brings in a second. */
  private static final long SLOWEST_SECOND = 1 << 20;

  /** How an application reads. */
  enum Way {
    OPEN("FileSystem.open", FileSystemReader.class),
    CAT("hdfs dfs -cat", CatReader.class);

    final String label;
    private final Class<?> mainClass;

    Way(String label, Class<?> mainClass) {
      this.label = label;
      this.mainClass = mainClass;
    }
  }

  /** What brings the bytes. */
  enum Side {
    STOCK("stock"),
    /** The client opens the device itself, for no agent runs yet. */
    RDIO("rdio"),
    /** The client asks the agent of the host, and never opens the device itself. */
    AGENT("agent");

    final String label;

    Side(String label) {
      this.label = label;
    }

    boolean byRdio() {
      return this != STOCK;
    }
  }

  private record Consumed(String sha256, double seconds) {}

  static ReadPass run(
      Cluster cluster, String file, long bytes, Way way, Side side, Progress progress)
      throws IOException {
    cluster.dropPageCaches();
    Path reportFile = cluster.folder().resolve("report-" + way + "-" + side);
    double cpuBefore = cluster.dataNode(0).cpuSeconds();
    long loopbackBefore = Proc.loopbackBytes();
    progress.at(0);
    Process client =
        cluster
            .jvm(
                conf(cluster, side),
                CLIENT_OPTIONS,
                way.mainClass.getName(),
                file,
                reportFile.toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    cluster.killLater(client);
    Consumed consumed = consume(client, way, bytes, progress);
    progress.at(bytes);
    return new ReadPass(
        way,
        side,
        bytes,
        consumed.sha256(),
        consumed.seconds(),
        cluster.dataNode(0).cpuSeconds() - cpuBefore,
        Proc.loopbackBytes() - loopbackBefore,
        ReadReport.read(reportFile));
  }

  /** A client of the agent has no other way by RDIO, so that its figures are the agent's alone. */
  private static Path conf(Cluster cluster, Side side) throws IOException {
    if (side != Side.AGENT) {
      return cluster.confFolder(side.byRdio());
    }
    Path folder = cluster.folder().resolve("conf-agent");
    return Files.exists(folder)
        ? folder
        : cluster.addConfFolder(
            "conf-agent", true, Map.of(RdioConfigKeys.CLIENT_AGENT.name(), "required"));
  }

  /** Waits for what a client makes of a file of so many bytes, and for its end. */
  private static Consumed consume(Process client, Way way, long bytes, Progress progress)
      throws IOException {
    String name = "reading by " + way.label;
    Duration max = PATIENCE.plusSeconds(bytes / SLOWEST_SECOND);
    Consumed consumed =
        ProcessEnd.read(
            client,
            name,
            max,
            output -> way == Way.CAT ? digest(output, progress) : follow(output, progress));
    int status = ProcessEnd.statusOf(client, name, max);
    if (status != 0) {
      throw new IOException(name + " ended with status " + status);
    }
    return consumed;
  }

  /** Reads the file's bytes from the client's standard output. */
  private static Consumed digest(InputStream output, Progress progress) throws IOException {
    MessageDigest digest = RandomContent.sha256();
    byte[] buffer = new byte[BUFFER_BYTES];
    long done = 0;
    long start = System.nanoTime();
    try (InputStream in = output) {
      for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
        if (done == 0) {
          start = System.nanoTime();
        }
        digest.update(buffer, 0, count);
        done += count;
        progress.at(done);
      }
    }
    return new Consumed(RandomContent.hex(digest), (System.nanoTime() - start) / NANOS);
  }

  /** Reads what {@link FileSystemReader} says. */
  private static Consumed follow(InputStream output, Progress progress) throws IOException {
    Consumed result = new Consumed("", 0);
    try (BufferedReader in = new BufferedReader(new InputStreamReader(output, UTF_8))) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        String[] words = line.split(" ", -1);
        switch (words[0]) {
          case "at" -> progress.at(Long.parseLong(words[1]));
          case "done" -> result = new Consumed(words[1], Double.parseDouble(words[2]));
          default -> throw new IOException("client says what it should not: " + line);
        }
      }
    }
    return result;
  }
}
