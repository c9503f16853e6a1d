// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.hdfs;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rdio.bench.client.Answer;
import io.rdio.bench.client.Answer.Counters;
import io.rdio.bench.client.Answer.Totals;
import io.rdio.hdfs.RdioConfigKeys;
import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.cluster.Proc;
import io.rdio.hdfs.cluster.ProcessEnd;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** {@code hdfs dfs} in JVMs that live for one file each. For one thread. */
public final class FreshJvms {
  private static final String SHELL = "org.apache.hadoop.fs.FsShell";
  private static final long POLL_MILLIS = 50;
  private static final long NANOS_PER_SECOND = 1_000_000_000;

  private final BenchCluster bench;
  private final Cluster cluster;

  FreshJvms(BenchCluster bench, Cluster cluster) {
    this.bench = bench;
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

  private Path conf(Way way) throws IOException {
    return switch (way) {
      case STOCK -> cluster.confFolder(false);
      case RDIO -> conf("conf-cold-rdio", agentKey("off"));
      case GROWN -> conf("conf-cold-grown", grownKeys());
      case AGENT -> conf("conf-cold-agent", agentKey("required"));
      default -> throw new IllegalArgumentException(way + " has no fresh JVMs");
    };
  }

  private Path conf(String name, Map<String, String> keys) throws IOException {
    Path folder = cluster.folder().resolve(name);
    return Files.exists(folder) ? folder : cluster.addConfFolder(name, true, keys);
  }

  private static Map<String, String> grownKeys() {
    Map<String, String> keys = new HashMap<>(agentKey("off"));
    keys.put(
        RdioConfigKeys.CLIENT_DEVICE_AFTER.name(), RdioConfigKeys.CLIENT_DEVICE_AFTER.byDefault());
    return keys;
  }

  /** Whether clients ask the agent: {@code required} or {@code off}. */
  static Map<String, String> agentKey(String mode) {
    return Map.of(RdioConfigKeys.CLIENT_AGENT.name(), mode);
  }

  private ProcessBuilder cat(Way way, List<String> options, String file) throws IOException {
    return shell(way, options, "-cat", file);
  }

  private ProcessBuilder shell(Way way, List<String> options, String command, String file)
      throws IOException {
    ProcessBuilder jvm = cluster.jvm(conf(way), options, SHELL, command, file);
    ClientJvm.handOnOptions(System.getenv(), jvm);
    return jvm;
  }

  /**
   * Compares what a fresh JVM reads of a file with what was written.
   *
   * @throws IOException naming the file if it differs
   */
  public void verify(Way way, String file) throws IOException {
    bench.requireAsWritten(way, file, sha256(way, file));
  }

  /** SHA-256 of what it prints, in hexadecimal digits. */
  private String sha256(Way way, String file) throws IOException {
    Process process = start(cat(way, List.of(), file).redirectError(log(way)));
    try {
      String digest =
          ProcessEnd.read(process, way.label(), Patience.of(cluster), FreshJvms::digestOf);
      awaitSuccess(process, way);
      return digest;
    } finally {
      end(process);
    }
  }

  private static String digestOf(InputStream output) throws IOException {
    MessageDigest digest = sha256();
    try (InputStream in = new DigestInputStream(output, digest)) {
      in.transferTo(OutputStream.nullOutputStream());
    }
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
    return ProcessBuilder.Redirect.appendTo(
        cluster.folder().resolve("cold-" + way.name() + ".err").toFile());
  }

  private Process start(ProcessBuilder builder) throws IOException {
    Process process = builder.start();
    cluster.killLater(process);
    return process;
  }

  private void awaitSuccess(Process process, Way way) throws IOException {
    int status = ProcessEnd.statusOf(process, way.label(), Patience.of(cluster));
    if (status != 0) {
      Path err = cluster.folder().resolve("cold-" + way.name() + ".err");
      throw new IOException(way.label() + " ended with " + status + ": " + Files.readString(err));
    }
  }

  /** Ends a process that may still run, and those that it started. */
  private static void end(Process process) {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
  }

  /** Has a JVM read a file of so many bytes to nowhere, with the meters around it. */
  public Pass measure(Way way, String file, long bytes) throws IOException {
    return measure(way, Job.cat(List.of(file), bytes, 1));
  }

  /** Has JVMs read a file each to nowhere, with the meters around them. */
  public Pass measure(Way way, Job job) throws IOException {
    bench.prepareCaches();
    return bench.measure(way, () -> answer(way, job));
  }

  private Answer answer(Way way, Job job) throws IOException {
    long bytes = job.bytesEach() * job.files().size();
    long loopback = Proc.loopbackBytes();
    long begun = System.nanoTime();
    double cpu = cpuSecondsOfAll(way, job);
    double seconds = (System.nanoTime() - begun) / (double) NANOS_PER_SECOND;
    long byDataNode = Math.min(bytes, Proc.loopbackBytes() - loopback);
    long byRdio = way == Way.STOCK ? 0 : bytes - byDataNode;
    return Answer.of(
        new Totals(bytes, job.files().size(), seconds, cpu, 0), Counters.ofBytes(byRdio, byRdio));
  }

  /** When one fails, no other one is left to run. */
  private double cpuSecondsOfAll(Way way, Job job) throws IOException {
    Deque<Task> running = new ArrayDeque<>();
    try {
      double cpu = 0;
      for (int i = 0; i < job.files().size(); i++) {
        if (running.size() == job.atOnce()) {
          cpu += cpuSecondsOfFirst(running, way);
        }
        running.add(begin(way, job, i));
      }
      while (!running.isEmpty()) {
        cpu += cpuSecondsOfFirst(running, way);
      }
      return cpu;
    } finally {
      running.forEach(task -> end(task.process()));
    }
  }

  private double cpuSecondsOfFirst(Deque<Task> running, Way way) throws IOException {
    double cpu = cpuSeconds(running.element(), way);
    running.remove();
    return cpu;
  }

  /** A process under way, and the file that will have its times. */
  private record Task(Process process, Path times) {}

  private Task begin(Way way, Job job, int number) throws IOException {
    Path times = cluster.folder().resolve("cold-times-" + number);
    List<String> command =
        new ArrayList<>(
            List.of(
                "bash",
                "-c",
                "TIMEFORMAT='%U %S'; { time \"$@\" 2>&3 >/dev/null; } 3>&2 2>" + times,
                "cat"));
    ProcessBuilder jvm = shell(way, job.options(), job.command(), job.files().get(number));
    command.addAll(jvm.command());
    return new Task(start(jvm.command(command).redirectError(log(way))), times);
  }

  private double cpuSeconds(Task task, Way way) throws IOException {
    awaitSuccess(task.process(), way);
    return Stream.of(Files.readString(task.times(), UTF_8).strip().split(" ", -1))
        .mapToDouble(Double::parseDouble)
        .sum();
  }

  /** Until it ends, or for as long as it may take. */
  private long peakBytes(Process process) throws IOException {
    long end = System.nanoTime() + Patience.of(cluster).toNanos();
    try {
      long peak = 0;
      do {
        peak = Math.max(peak, PeakMemory.of(process.pid()));
      } while (!process.waitFor(POLL_MILLIS, TimeUnit.MILLISECONDS) && System.nanoTime() - end < 0);
      return peak;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException();
    }
  }

  /** What a process that reads a file takes; measured in one of its own, for it disturbs. */
  public Footprint footprint(Way way, String file) throws IOException {
    Path classes = cluster.folder().resolve("cold-classes");
    Process process =
        start(
            cat(way, List.of("-Xlog:class+load:file=" + classes), file)
                .redirectError(log(way))
                .redirectOutput(ProcessBuilder.Redirect.DISCARD));
    long peak;
    try {
      peak = peakBytes(process);
      awaitSuccess(process, way);
    } finally {
      end(process);
    }
    try (Stream<String> lines = Files.lines(classes)) {
      return new Footprint(
          lines
              .map(line -> line.replaceFirst("^(\\[[^]]*] *)+", "").split(" ", 2)[0])
              .map(name -> name.replaceFirst("/0x.*|(\\$\\$Lambda\\$)\\d+.*", "$1"))
              .collect(Collectors.toSet()),
          peak);
    }
  }
}
