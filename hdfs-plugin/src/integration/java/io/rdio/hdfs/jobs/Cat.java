// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.cluster.ProcessEnd;
import io.rdio.hdfs.it.SeededFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** {@code hdfs dfs -cat}, in a JVM of its own each time. */
final class Cat {
  private static final Path SANDBOX =
      Path.of("src/test/resources/io/rdio/hdfs/agent/sandbox.sh").toAbsolutePath();

  /** By user nobody, without a device. */
  static final List<String> IN_SANDBOX = List.of("bash", SANDBOX.toString());

  /** By root. */
  static final List<String> AS_IT_IS = List.of();

  private final Cluster cluster;
  private final Path folder;

  /** What it said besides, and how long it was at work. */
  record Run(String errors, Duration took) {}

  /**
   * @param folder of this machine, for what it prints
   */
  Cat(Cluster cluster, Path folder) {
    this.cluster = cluster;
    this.folder = folder;
  }

  /**
   * Has it print some files, and checks all their bytes.
   *
   * @param prefix a command that becomes the JVM
   * @param conf its HADOOP_CONF_DIR
   */
  Run read(List<String> prefix, Path conf, SeededFile... files) throws Exception {
    Path out = folder.resolve("out");
    Path errors = Path.of("target", "cat.err");
    ProcessBuilder jvm =
        cluster.jvm(
            conf, List.of("-XX:TieredStopAtLevel=1"), "org.apache.hadoop.fs.FsShell", "-cat");
    List<String> command = new ArrayList<>(prefix);
    command.addAll(jvm.command());
    for (SeededFile file : files) {
      command.add(file.path().toString());
    }
    long begun = System.nanoTime();
    Process process =
        jvm.command(command).redirectOutput(out.toFile()).redirectError(errors.toFile()).start();
    cluster.killLater(process);
    int status = ProcessEnd.statusOf(process, "hdfs dfs -cat");
    Run run = new Run(Files.readString(errors), Duration.ofNanos(System.nanoTime() - begun));
    assertThat(status).as(run.toString()).isZero();
    check(Files.readAllBytes(out), files);
    return run;
  }

  private static void check(byte[] got, SeededFile... files) {
    int at = 0;
    for (SeededFile file : files) {
      int next = at + file.bytes().length;
      file.check(0, Arrays.copyOfRange(got, at, next));
      at = next;
    }
    assertThat(got).hasSize(at);
  }
}
