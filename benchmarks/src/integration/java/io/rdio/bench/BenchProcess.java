// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.hdfs.cluster.ProcessEnd;
import java.io.File;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A command of this module in a JVM of its own, as bin/rdio runs it; but Hadoop is in front of
 * RDIO, for the class archive.
 */
public final class BenchProcess {
  private static final String QUICK = "-XX:TieredStopAtLevel=1";

  /** Longer than any command takes here. */
  private static final Duration PATIENCE = Duration.ofMinutes(40);

  private BenchProcess() {}

  /** A folder on a disk, where that for temporary files may be in memory. */
  public static Path folderOnDisk() {
    return Path.of(System.getProperty("rdio.benchmarks.folder"));
  }

  /**
   * Runs a command to its end, which is to be a good one.
   *
   * @param log for what it says of errors
   * @param temporary folder for temporary files
   * @param environment besides this process's own
   * @return what it printed
   */
  public static String run(
      Path log, Path temporary, Map<String, String> environment, String... arguments)
      throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-Djava.io.tmpdir=" + temporary);
    command.add("--add-opens=java.base/java.lang=ALL-UNNAMED");
    // What is measured here is not looked at: all of these JVMs live for seconds.
    command.add(QUICK);
    command.add("-Drdio.jvm.options=" + QUICK);
    command.add("-Drdio.class-archive=" + path("rdio.class-archive"));
    command.add(Bench.class.getName());
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command).redirectError(log.toFile());
    builder.environment().put("CLASSPATH", classPath());
    builder.environment().putAll(environment);
    Process process = builder.start();
    process.getOutputStream().close();
    ProcessEnd end = ProcessEnd.of(process, String.join(" ", arguments), PATIENCE);
    assertThat(end.status()).as("%s%n%s", end.output(), Files.readString(log)).isZero();
    return end.output();
  }

  /** An environment for {@link #run} by whose options JVMs leave traces in a folder. */
  public static Map<String, String> optionsThatLeaveFiles(Path folder) {
    return Map.of("JAVA_TOOL_OPTIONS", "-Xlog:init:file=" + folder.resolve("jvm-%p.log"));
  }

  /** How many JVMs had the {@link #optionsThatLeaveFiles}. */
  public static int jvmsWithOptions(Path folder) throws IOException {
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, "jvm-*.log")) {
      int count = 0;
      for (Path file : files) {
        assertThat(file).isRegularFile();
        count++;
      }
      return count;
    }
  }

  /** Rows of comma-separated values by policy, each by column. */
  public static Map<String, Map<String, String>> byPolicy(String output) {
    List<String> rows = output.lines().filter(line -> line.contains(",")).toList();
    List<String> heading = List.of(rows.get(0).split(",", -1));
    Map<String, Map<String, String>> byPolicy = new LinkedHashMap<>();
    for (String row : rows.subList(1, rows.size())) {
      String[] cells = row.split(",", -1);
      Map<String, String> values = new LinkedHashMap<>();
      for (int i = 0; i < heading.size(); i++) {
        values.put(heading.get(i), cells[i]);
      }
      byPolicy.put(values.get("policy"), values);
    }
    return byPolicy;
  }

  /** Hadoop, the one jar, and this module behind them. */
  private static String classPath() throws Exception {
    String own = System.getProperty("rdio.benchmarks.folder");
    return String.join(
        File.pathSeparator,
        Files.readString(Path.of(System.getProperty("rdio.hadoop.class-path.file"))).strip(),
        path("rdio.jar"),
        path("rdio.checkout.jar"),
        own + "/classes",
        own + "/lib/*");
  }

  /** A file that the build named, as the class archive has it. */
  private static String path(String property) {
    return Path.of(System.getProperty(property)).normalize().toString();
  }
}
