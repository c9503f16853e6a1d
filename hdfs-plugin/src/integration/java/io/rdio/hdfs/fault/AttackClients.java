// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.fault;

import io.rdio.core.testing.Command;
import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.cluster.ProcessEnd;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The {@link AttackClient}s of a test, and what they said, also those that were killed since. */
final class AttackClients implements AutoCloseable {
  private static final int AT_ONCE = 2;
  private static final Pattern LINE =
      Pattern.compile("ATTACK (CLOSED|FAILED|DELETING) ([0-9]+/[0-9]+) ([0-9]+) ([0-9]+) \\.");

  private final Cluster cluster;
  private final Path conf;
  private final RandomGenerator random;
  private final String replications;
  private final List<Process> processes = new ArrayList<>();
  private final List<Path> outputs = new ArrayList<>();

  /**
   * Starts them.
   *
   * @param conf their HADOOP_CONF_DIR
   * @param replications as {@link AttackClient} takes them
   */
  AttackClients(Cluster cluster, Path conf, RandomGenerator random, String replications)
      throws IOException {
    this.cluster = cluster;
    this.conf = conf;
    this.random = random;
    this.replications = replications;
    for (int i = 0; i < AT_ONCE; i++) {
      processes.add(start(i));
    }
  }

  private Process start(int number) throws IOException {
    Path output = cluster.folder().resolve("attack-client" + outputs.size() + ".out");
    outputs.add(output);
    Process process =
        cluster
            .jvm(
                conf,
                List.of("-Xmx256m"),
                AttackClient.class.getName(),
                Integer.toString(number),
                Long.toString(random.nextLong()),
                replications)
            .redirectError(ProcessBuilder.Redirect.appendTo(new File("target", "attack.err")))
            .redirectOutput(output.toFile())
            .start();
    cluster.killLater(process);
    return process;
  }

  private int any() {
    return random.nextInt(AT_ONCE);
  }

  /** SIGKILL for one of them, and another one in its place. */
  void killOne() throws IOException {
    int which = any();
    ProcessEnd.kill(processes.get(which));
    processes.set(which, start(which));
  }

  /** One of them stands still for a while. */
  void pauseOne(long millis) throws IOException, InterruptedException {
    Process process = processes.get(any());
    signal("STOP", process.pid());
    process.waitFor(millis, TimeUnit.MILLISECONDS);
    signal("CONT", process.pid());
  }

  static void signal(String name, long pid) throws IOException {
    Command.run("kill", "-" + name, Long.toString(pid));
  }

  /**
   * They go on meanwhile.
   *
   * @throws IOException if one has ended by itself
   */
  void goOn(long millis) throws IOException, InterruptedException {
    if (processes.get(0).waitFor(millis, TimeUnit.MILLISECONDS) || !processes.get(1).isAlive()) {
      throw new IOException("a client ended; see target/attack.err");
    }
  }

  /** What they said by now. */
  Said said() throws IOException {
    Map<String, Integer> closed = new TreeMap<>();
    int failed = 0;
    long bytes = 0;
    for (Path output : outputs) {
      long bytesOfOne = 0;
      for (String line : Files.readAllLines(output)) {
        Matcher parts = LINE.matcher(line);
        if (parts.matches()) {
          String name = parts.group(2);
          switch (parts.group(1)) {
            case "CLOSED" -> closed.put(name, Integer.parseInt(parts.group(3)));
            case "DELETING" -> closed.remove(name);
            default -> failed++;
          }
          bytesOfOne = Long.parseLong(parts.group(4));
        }
      }
      bytes += bytesOfOne;
    }
    return new Said(closed, failed, bytes);
  }

  /**
   * What clients said.
   *
   * @param closed lengths of files that were closed and not deleted, by their names
   * @param failed files that could not be written
   * @param bytes that agents wrote and DataNodes committed, once for all replicas
   */
  record Said(Map<String, Integer> closed, int failed, long bytes) {}

  /** Kills them all. */
  void killAll() {
    processes.forEach(ProcessEnd::kill);
  }

  @Override
  public void close() {
    killAll();
  }
}
