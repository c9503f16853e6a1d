// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Makes a {@link ClassArchive}, in half a minute: a cluster runs, a client writes and reads a file
 * in it, and what classes they load goes into the archive.
 */
public final class ClassArchiveMaker {
  private static final String SHELL = "org.apache.hadoop.fs.FsShell";
  private static final int FILE_BYTES = 1 << 20;

  private ClassArchiveMaker() {}

  /**
   * ARCHIVE CLASS-PATH-FILE JAR...: makes an archive of Hadoop's class path and RDIO's jars. Where
   * no cluster can run, as without root or loop devices, it makes none, and says why: JVMs do
   * without.
   */
  public static void main(String[] arguments) throws IOException {
    Path archive = Path.of(arguments[0]);
    Files.deleteIfExists(ClassArchive.jarsOf(archive));
    if (!ClusterCommand.isRoot()) {
      System.err.println("No class archive: a cluster needs root, for a loop device.");
      return;
    }
    HadoopClassPath classPath = HadoopClassPath.ofFile(Path.of(arguments[1]));
    for (String jar : List.of(arguments).subList(2, arguments.length)) {
      classPath = classPath.with(jar);
    }
    try {
      make(archive, classPath);
    } catch (IOException e) {
      System.err.println("No class archive: " + e.getMessage());
    }
  }

  private static void make(Path archive, HadoopClassPath classPath) throws IOException {
    Path lists = Files.createTempDirectory("rdio-classes-");
    try {
      run(classPath, lists);
      Path merged = lists.resolve("merged");
      Files.write(merged, merge(lists));
      dump(archive, classPath, merged);
    } finally {
      Shell.run("rm", "-r", lists.toString());
    }
    Files.writeString(ClassArchive.jarsOf(archive), classPath.value());
  }

  /** Has each JVM of a cluster leave a list of the classes that it loads. */
  private static void run(HadoopClassPath classPath, Path lists) throws IOException {
    try (Cluster cluster =
        Cluster.builder()
            .classPath(classPath)
            .option("-XX:TieredStopAtLevel=1")
            .option("-XX:DumpLoadedClassList=" + lists.resolve("%p.list"))
            .start()) {
      Path file = Files.write(lists.resolve("file"), new byte[FILE_BYTES]);
      for (boolean rdio : new boolean[] {false, true}) {
        String name = "/file-" + rdio;
        shell(cluster, rdio, "-put", file.toString(), name);
        shell(cluster, rdio, "-cat", name);
      }
      // With SIGTERM: what is killed leaves the end of its list out.
      cluster.dataNode(0).stop();
      cluster.nameNode().stop();
    }
  }

  private static void shell(Cluster cluster, boolean rdio, String... arguments) throws IOException {
    String[] command = Stream.concat(Stream.of(SHELL), Stream.of(arguments)).toArray(String[]::new);
    Process process =
        cluster.jvm(cluster.confFolder(rdio), List.of(), command).redirectErrorStream(true).start();
    cluster.killLater(process);
    String name = String.join(" ", command);
    ProcessEnd end = ProcessEnd.of(process, name);
    if (end.status() != 0) {
      throw new IOException(name + " ended with status " + end.status() + ": " + end.output());
    }
  }

  private static Set<String> merge(Path lists) throws IOException {
    Set<String> lines = new LinkedHashSet<>();
    try (Stream<Path> files = Files.list(lists)) {
      for (Path list : files.filter(file -> file.toString().endsWith(".list")).sorted().toList()) {
        try (Stream<String> classes = Files.lines(list, UTF_8)) {
          classes.filter(line -> !line.startsWith("#")).forEach(lines::add);
        }
      }
    }
    return lines;
  }

  private static void dump(Path archive, HadoopClassPath classPath, Path list) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xshare:dump",
                "-Xlog:disable",
                "-XX:SharedClassListFile=" + list,
                "-XX:SharedArchiveFile=" + archive,
                "-classpath",
                classPath.value()));
    Shell.run(command.toArray(String[]::new));
  }
}
