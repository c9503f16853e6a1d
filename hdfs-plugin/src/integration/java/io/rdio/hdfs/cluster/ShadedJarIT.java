// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.testing.LoopFileSystem;
import io.rdio.core.testing.Requirements;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The one jar works on the class paths that it is installed on. */
class ShadedJarIT {
  private static final Path PROBE = Path.of("src/it/java/ShadedJarProbe.java");
  private static final String HDFS = "org/apache/hadoop/hdfs/";
  private static final String DATASET = HDFS + "server/datanode/fsdataset/impl/";

  @Test
  void holdsNoClassThatCouldHideAnother() throws IOException {
    try (JarFile jar = new JarFile(TestClusters.jar().toFile())) {
      List<String> foreign =
          jar.stream()
              .map(ZipEntry::getName)
              .filter(name -> name.endsWith(".class"))
              // jffi cannot be relocated: its native half knows its classes by name.
              .filter(name -> !name.startsWith("io/rdio/") && !name.startsWith("com/kenai/jffi/"))
              // What these extend or call is visible in its own package only.
              .filter(name -> !name.matches(DATASET + "(RecallingFsDataset|EmptyReplicas)\\.class"))
              .filter(name -> !name.matches(HDFS + "(RestOf(File|Groups)|GroupLook)\\.class"))
              .filter(name -> !name.matches(HDFS + "Leftovers(\\$Look)?\\.class"))
              .toList();
      assertThat(foreign).isEmpty();
      assertThat(jar.stream().map(ZipEntry::getName))
          .contains("META-INF/LICENSE", "META-INF/NOTICE", "META-INF/LICENSE-third-party.txt")
          .doesNotContain("module-info.class")
          .noneMatch(name -> name.matches("META-INF/.*\\.(SF|RSA|DSA)"))
          .noneMatch(name -> name.startsWith("META-INF/versions/"));
      assertThat(jar.getManifest().getMainAttributes().getValue(Attributes.Name.MAIN_CLASS))
          .isEqualTo("io.rdio.hdfs.cli.Rdio");
    }
  }

  /** Clusters to throw away, the demo and the test bed: users have no use for them. */
  @Test
  void leavesOutWhatOnlyCheckoutsRun() throws IOException {
    Set<String> folders = checkoutFolders();
    assertThat(folders).hasSizeGreaterThanOrEqualTo(3);
    assertThat(classesIn(TestClusters.jar(), folders)).isEmpty();
    for (String folder : folders) {
      assertThat(classesIn(TestClusters.checkoutJar(), Set.of(folder))).as(folder).isNotEmpty();
    }
  }

  /** Folders of a jar for what is in src/checkout. */
  private static Set<String> checkoutFolders() throws IOException {
    Path sources = Path.of("src/checkout/java");
    try (Stream<Path> files = Files.walk(sources)) {
      return files
          .filter(Files::isRegularFile)
          .map(file -> sources.relativize(file.getParent()) + "/")
          .collect(Collectors.toSet());
    }
  }

  private static List<String> classesIn(Path file, Set<String> folders) throws IOException {
    try (JarFile jar = new JarFile(file.toFile())) {
      return jar.stream()
          .filter(entry -> !entry.isDirectory())
          .map(ZipEntry::getName)
          .filter(name -> folders.contains(name.substring(0, name.lastIndexOf('/') + 1)))
          .toList();
    }
  }

  @Test
  void runsTheCommandsOfACheckoutBehindIt(@TempDir Path folder) throws Exception {
    HadoopClassPath both =
        TestClusters.hadoop("hadoop-3.5")
            .with(TestClusters.jar().toString())
            .with(TestClusters.checkoutJar().toString());
    assertThat(run(both, List.of("io.rdio.hdfs.demo.Checkout", "--help"), folder))
        .contains("  doctor ", "  demo ", "  testbed ");
  }

  @ParameterizedTest
  @CsvSource({
    "hadoop-3.5,client datanode",
    "hadoop-3.4,client datanode",
    "hadoop-3.3,client datanode",
    "hadoop-3.4-shaded,client"
  })
  void worksBeside(String hadoop, String hooks, @TempDir Path folder) throws Exception {
    List<String> arguments = new ArrayList<>(List.of(hooks.split(" ", -1)));
    assertThat(runProbe(hadoop, arguments, folder)).endsWith("all of it works");
  }

  @Test
  @Tag("loop")
  void mapsAFile(@TempDir Path folder) throws Exception {
    Requirements.requireLoop("ext4");
    try (LoopFileSystem volume = LoopFileSystem.create("ext4")) {
      Path file = Files.write(volume.mountPoint().resolve("file"), new byte[10_000]);
      assertThat(runProbe("hadoop-3.5", List.of("client", file.toString()), folder))
          .endsWith("all of it works");
    }
  }

  @Test
  void mainClassRunsBesideHadoop(@TempDir Path folder) throws Exception {
    assertThat(run("hadoop-3.5", List.of("io.rdio.hdfs.cli.Rdio", "--version"), folder))
        .matches("(?s).*rdio \\d+\\.\\d+\\.\\d+.*");
  }

  private static String runProbe(String hadoop, List<String> arguments, Path folder)
      throws Exception {
    List<String> command = new ArrayList<>();
    command.add(PROBE.toString());
    command.addAll(arguments);
    return run(hadoop, command, folder);
  }

  private static String run(String hadoop, List<String> command, Path folder) throws Exception {
    return run(TestClusters.hadoop(hadoop).with(TestClusters.jar().toString()), command, folder);
  }

  private static String run(HadoopClassPath classPath, List<String> command, Path folder)
      throws Exception {
    ProcessBuilder builder =
        HadoopJvm.of(
            folder,
            folder,
            classPath,
            List.of("-Xmx256m", "-XX:TieredStopAtLevel=1"),
            command.toArray(String[]::new));
    Process process = builder.redirectErrorStream(true).start();
    process.getOutputStream().close();
    ProcessEnd end = ProcessEnd.of(process, command.get(0));
    assertThat(end.status()).as(end.output()).isZero();
    return end.output().strip();
  }
}
