// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.it;

import io.rdio.core.testing.Command;
import io.rdio.core.testing.Requirements;
import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.cluster.ProcessEnd;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.commons.io.file.PathUtils;

/**
 * A program in C, {@code libhdfs_reader.c}, that reads by Hadoop's libhdfs: {@code bin/lib/libhdfs}
 * has it. Another Hadoop's is taken if RDIO_LIBHDFS in the environment names the folder with its
 * {@code include} and {@code lib/native}.
 */
final class LibHdfsReader {
  /** As an argument: it ends its JVM in order, and does not just return. */
  static final String ENDS_JVM = "end-jvm";

  private static final Path SOURCE = Path.of("src/integration/c/libhdfs_reader.c").toAbsolutePath();
  private static final Path JAVA = Path.of(System.getProperty("java.home"));
  private static final Path JVM = JAVA.resolve("lib/server");

  private final Path libraries;
  private final Path program;

  private LibHdfsReader(Path libraries, Path program) {
    this.libraries = libraries;
    this.program = program;
  }

  /** What came by one way of reading, and how many bytes libhdfs counted, all and short-circuit. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Way(String name, byte[] got, long total, long shortCircuit) {}

  /** All ways of one process, and what it wrote to its standard error. */
  record Run(List<Way> ways, String log) {}

  /** Compiles it into a folder; skips where there is no libhdfs. */
  static LibHdfsReader compile(Path folder) throws IOException {
    Path home = home();
    Path libraries = home.resolve("lib/native");
    Requirements.require(
        Files.isRegularFile(libraries.resolve("libhdfs.so")),
        "there is no libhdfs: bin/lib/libhdfs " + home);
    Path program = folder.resolve("libhdfs_reader");
    List<String> command = new ArrayList<>(List.of("gcc", "-std=gnu11", "-g", "-O1"));
    command.addAll(List.of("-Wall", "-Wextra", "-Werror", "-o", program.toString()));
    command.add("-I" + home.resolve("include"));
    command.addAll(List.of("-I" + JAVA.resolve("include"), "-I" + JAVA.resolve("include/linux")));
    command.add(SOURCE.toString());
    command.addAll(List.of("-L" + libraries, "-lhdfs", "-L" + JVM, "-ljvm", "-lpthread"));
    Command.run(command.toArray(String[]::new));
    return new LibHdfsReader(libraries, program);
  }

  private static Path home() {
    String named = System.getenv("RDIO_LIBHDFS");
    return named == null || named.isEmpty()
        ? Path.of(System.getenv().getOrDefault("HOME", "/root"), ".cache", "rdio", "libhdfs")
        : Path.of(named);
  }

  /**
   * Has it read a file.
   *
   * @param conf its HADOOP_CONF_DIR
   * @param more {@link #ENDS_JVM} or nothing
   */
  Run read(Cluster cluster, Path conf, SeededFile file, String... more) throws IOException {
    // In the cluster's folder: its name among the arguments is a mark by which it ends the process.
    Path folder = Files.createTempDirectory(cluster.folder(), "libhdfs");
    try {
      return run(cluster, conf, folder, file, more);
    } finally {
      PathUtils.deleteDirectory(folder);
    }
  }

  private Run run(Cluster cluster, Path conf, Path folder, SeededFile file, String... more)
      throws IOException {
    Path errors = folder.resolve("err");
    ProcessBuilder builder =
        cluster.jvm(
            conf,
            List.of("-Xmx256m", "-XX:TieredStopAtLevel=1", "-Drdio.log.level=INFO"),
            "no.main.Class");
    List<String> jvm = builder.command();
    String options = String.join(" ", jvm.subList(1, jvm.size() - 1));
    builder.environment().put("LIBHDFS_OPTS", options);
    builder.environment().put("LD_LIBRARY_PATH", libraries + File.pathSeparator + JVM);
    List<String> command =
        new ArrayList<>(
            List.of(program.toString(), file.path().toUri().getPath(), folder.toString()));
    command.addAll(List.of(more));
    Process process = builder.command(command).redirectError(errors.toFile()).start();
    cluster.killLater(process);
    ProcessEnd end = ProcessEnd.of(process, "libhdfs_reader");
    String log = Files.readString(errors);
    if (end.status() != 0) {
      throw new IOException(end + log);
    }
    List<Way> ways = new ArrayList<>();
    for (String line : end.output().lines().toList()) {
      String[] words = line.split(" ", -1);
      byte[] got = Files.readAllBytes(folder.resolve(words[0]));
      ways.add(new Way(words[0], got, Long.parseLong(words[1]), Long.parseLong(words[2])));
    }
    return new Run(ways, log);
  }
}
