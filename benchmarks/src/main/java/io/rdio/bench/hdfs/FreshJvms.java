// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.hdfs;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rdio.bench.client.Answer;
import io.rdio.hdfs.RdioConfigKeys;
import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.cluster.Proc;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** {@code hdfs dfs -cat} in JVMs that live for one file each. For one thread. */
public final class FreshJvms {
  private static final String SHELL = "org.apache.hadoop.fs.FsShell";
  private static final long AGENT_SECONDS = 60;
  private static final long NANOS_PER_SECOND = 1_000_000_000;

  private final Cluster cluster;

  FreshJvms(Cluster cluster) {
    this.cluster = cluster;
  }

  /**
   * What a process takes.
   *
   * @param classes that it loads, by name
   * @param peakBytes most memory that was resident
   */
  public record Footprint(Set<String> classes, long peakBytes) {
    public Footprint {
      classes = Set.copyOf(classes);
    }
  }

  private Path socket() {
    return cluster.folder().resolve("agent.sock");
  }

  private Path conf(Way way) throws IOException {
    return switch (way) {
      case STOCK -> cluster.confFolder(false);
      case RDIO -> conf("conf-cold-rdio", "off");
      case AGENT -> conf("conf-cold-agent", "required");
      default -> throw new IllegalArgumentException(way + " has no fresh JVMs");
    };
  }

  private Path conf(String name, String agent) throws IOException {
    Path folder = cluster.folder().resolve(name);
    if (Files.exists(folder)) {
      return folder;
    }
    Map<String, String> keys = new HashMap<>();
    keys.put(RdioConfigKeys.CLIENT_AGENT.name(), agent);
    keys.put(RdioConfigKeys.CLIENT_AGENT_SOCKET.name(), socket().toString());
    return cluster.addConfFolder(name, true, keys);
  }

  /** Starts the agent that {@link Way#AGENT} asks; it ends with the cluster. */
  public void startAgent() throws IOException {
    Path log = cluster.folder().resolve("agent.log");
    Process agent =
        cluster
            .jvm(conf(Way.AGENT), List.of("-Xmx512m"), "io.rdio.hdfs.cli.Rdio", "agent")
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    cluster.killLater(agent);
    long end = System.nanoTime() + AGENT_SECONDS * NANOS_PER_SECOND;
    while (!Files.readString(log).contains("listens at")) {
      if (!agent.isAlive() || System.nanoTime() > end) {
        throw new IOException("the agent does not serve: " + Files.readString(log));
      }
      pause(agent);
    }
  }

  private static void pause(Process process) throws IOException {
    try {
      process.waitFor(50, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException();
    }
  }

  private ProcessBuilder cat(Way way, List<String> options, String file) throws IOException {
    ProcessBuilder jvm = cluster.jvm(conf(way), options, SHELL, "-cat", file);
    ClientJvm.handOnOptions(System.getenv(), jvm);
    return jvm;
  }

  /** SHA-256 of what it prints, in hexadecimal digits. */
  String sha256(Way way, String file) throws IOException {
    Process process = start(cat(way, List.of(), file).redirectError(log(way)));
    MessageDigest digest = sha256();
    try (InputStream in = new DigestInputStream(process.getInputStream(), digest)) {
      in.transferTo(OutputStream.nullOutputStream());
    }
    end(process, way);
    return HexFormat.of().formatHex(digest.digest());
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e); // which every JDK has
    }
  }

  private ProcessBuilder.Redirect log(Way way) {
    return ProcessBuilder.Redirect.to(
        cluster.folder().resolve("cold-" + way.name() + ".err").toFile());
  }

  private Process start(ProcessBuilder builder) throws IOException {
    Process process = builder.start();
    cluster.killLater(process);
    return process;
  }

  private void end(Process process, Way way) throws IOException {
    try {
      int status = process.waitFor();
      if (status != 0) {
        Path err = cluster.folder().resolve("cold-" + way.name() + ".err");
        throw new IOException(way.label() + " ended with " + status + ": " + Files.readString(err));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException();
    }
  }

  /** Reads a file of so many bytes to nowhere, and measures the whole process. */
  Answer cat(Way way, String file, long bytes) throws IOException {
    Path times = cluster.folder().resolve("cold-times");
    List<String> command =
        new ArrayList<>(
            List.of(
                "bash",
                "-c",
                "TIMEFORMAT='%U %S'; { time \"$@\" 2>&3 >/dev/null; } 3>&2 2>" + times,
                "cat"));
    ProcessBuilder jvm = cat(way, List.of(), file);
    command.addAll(jvm.command());
    long loopback = Proc.loopbackBytes();
    long begun = System.nanoTime();
    end(start(jvm.command(command).redirectError(log(way))), way);
    double seconds = (System.nanoTime() - begun) / (double) NANOS_PER_SECOND;
    long byDataNode = Math.min(bytes, Proc.loopbackBytes() - loopback);
    double cpu =
        Stream.of(Files.readString(times, UTF_8).strip().split(" ", -1))
            .mapToDouble(Double::parseDouble)
            .sum();
    long byRdio = way == Way.STOCK ? 0 : bytes - byDataNode;
    return new Answer(bytes, 1, seconds, cpu, byRdio, byRdio, 0, 0, Map.of(), "", List.of());
  }

  /** What a process that reads a file takes; measured in one of its own, for it disturbs. */
  public Footprint footprint(Way way, String file) throws IOException {
    Path classes = cluster.folder().resolve("cold-classes");
    Process process =
        start(
            cat(way, List.of("-Xlog:class+load:file=" + classes), file)
                .redirectError(log(way))
                .redirectOutput(ProcessBuilder.Redirect.DISCARD));
    long peak = 0;
    Path status = Path.of("/proc", Long.toString(process.pid()), "status");
    while (process.isAlive()) {
      peak = Math.max(peak, peakBytes(status));
      pause(process);
    }
    end(process, way);
    try (Stream<String> lines = Files.lines(classes)) {
      return new Footprint(
          lines
              .map(line -> line.replaceFirst("^(\\[[^]]*] *)+", "").split(" ", 2)[0])
              .map(name -> name.replaceFirst("/0x.*|(\\$\\$Lambda\\$)\\d+.*", "$1"))
              .collect(Collectors.toSet()),
          peak);
    }
  }

  /** 0 where the process has ended. */
  private static long peakBytes(Path status) {
    try {
      return Files.readAllLines(status).stream()
          .filter(line -> line.startsWith("VmHWM:"))
          .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) << 10)
          .findFirst()
          .orElse(0);
    } catch (IOException e) {
      return 0;
    }
  }
}
