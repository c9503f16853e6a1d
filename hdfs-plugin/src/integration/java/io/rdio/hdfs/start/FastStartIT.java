// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.start;

import static io.rdio.hdfs.cluster.Shape.PLAIN_EXT4;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.hdfs.agent.AgentProcess;
import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.cluster.ProcessEnd;
import io.rdio.hdfs.cluster.SharedClusters;
import io.rdio.hdfs.cluster.Shares;
import io.rdio.hdfs.cluster.TestClusters;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FsShell;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** The shell profile around real commands: what they print never changes, only how they start. */
@Tag("loop")
@Shares(PLAIN_EXT4)
final class FastStartIT {
  private static final String RDIO = "io.rdio.hdfs.cli.Rdio";
  private static final String UPDATE = "rdio.update.start";
  private static final String TEXT = "what the file says\n";

  private static Cluster cluster;

  @TempDir Path folder;
  private Path cache;
  private Path conf;
  private final Map<String, String> environment = new HashMap<>();

  /** What a command did. */
  private record Result(int status, String out, String err, Path classes) {
    /** What it says of each class that it loaded, without those that the JVM makes as it runs. */
    private List<String> lines() throws IOException {
      try (Stream<String> lines = Files.lines(classes)) {
        return lines
            .map(line -> line.replaceFirst("^(\\[[^]]*] *)+", ""))
            .filter(line -> line.contains(" source: ") && !line.matches("[^ ]*(/|\\$\\$)[^ ]* .*"))
            .toList();
      }
    }

    private static boolean isShared(String line) {
      return line.contains("shared objects file");
    }

    /** Of the classes that it loaded, how many came from an archive, in percent. */
    long sharedPercent() throws IOException {
      return 100 * lines().stream().filter(Result::isShared).count() / lines().size();
    }

    /** The names of the classes that it loaded, but for those that an archive had. */
    List<String> loaded() throws IOException {
      return lines().stream()
          .filter(line -> !isShared(line))
          .map(line -> line.split(" ", 2)[0])
          .toList();
    }

    boolean usesArchive() throws IOException {
      return Files.readString(classes).contains("shared objects file (top)");
    }
  }

  @BeforeAll
  static void start(SharedClusters clusters) throws IOException {
    cluster = clusters.of(PLAIN_EXT4);
    try (FileSystem fs = cluster.fileSystem(false);
        FSDataOutputStream out = fs.create(new org.apache.hadoop.fs.Path("/file"))) {
      out.write(TEXT.getBytes(UTF_8));
    }
  }

  /** A configuration of its own, which tests may change. */
  @BeforeEach
  void prepare() throws Exception {
    cache = folder.resolve("cache");
    conf = Files.createDirectory(folder.resolve("conf"));
    try (Stream<Path> files = Files.list(cluster.confFolder(true))) {
      for (Path file : files.toList()) {
        Files.copy(file, conf.resolve(file.getFileName().toString()));
      }
    }
    environment.put("RDIO_START_DIR", cache.toString());
    if (Boolean.getBoolean(UPDATE)) {
      updateList();
    }
  }

  private Result dfs(String... arguments) throws Exception {
    return run(FsShell.class.getName(), arguments);
  }

  private Result run(String mainClass, String... arguments) throws Exception {
    Path classes = Files.createTempFile(folder, "classes", ".log");
    Path err = Files.createTempFile(folder, "err", ".txt");
    List<String> command = new ArrayList<>();
    command.add(resource("hadoop-command").toString());
    command.add(
        Path.of("src/main/dist/libexec/shellprofile.d/rdio.sh").toAbsolutePath().toString());
    command.add(TestClusters.hadoop("hadoop-3.5").value());
    command.add(mainClass);
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command).redirectError(err.toFile());
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    builder.environment().put("HADOOP_CONF_DIR", conf.toString());
    builder.environment().put("RDIO_JAR", TestClusters.jar().toString());
    builder
        .environment()
        .put(
            "HADOOP_OPTS",
            "--add-opens=java.base/java.lang=ALL-UNNAMED -Xlog:class+load:file=" + classes);
    builder.environment().putAll(environment);
    Process child = builder.start();
    cluster.killLater(child);
    ProcessEnd end = ProcessEnd.of(child, mainClass);
    return new Result(end.status(), end.output(), Files.readString(err), classes);
  }

  private static Path resource(String name) throws Exception {
    return Path.of(Objects.requireNonNull(FastStartIT.class.getResource(name), name).toURI());
  }

  private void assertReads(Result result) {
    assertThat(result.status()).isZero();
    assertThat(result.out()).isEqualTo(TEXT);
    assertThat(result.err()).isEmpty();
  }

  @Test
  void archiveHasTheClassesThatAReadOpeningTheDeviceLoads() throws Exception {
    assertArchived("io.rdio.hdfs.client.direct.DeviceClient");
    assertFailureIsHadoopsOwn();
  }

  @Test
  void archiveHasTheClassesThatAReadByTheAgentLoads() throws Exception {
    try (AgentProcess agent = AgentProcess.start(cluster)) {
      conf = agent.clientConf();
      assertArchived("io.rdio.agent.ipc.AgentBlock");
    }
  }

  /** If it fails the list may be old: with {@value #UPDATE} it is made anew. */
  private void assertArchived(String className) throws Exception {
    Result made = run(RDIO, "archive");
    assertThat(made.status()).isZero();
    assertThat(Path.of(made.out().strip())).isRegularFile().hasParent(cache);

    Result read = dfs("-cat", "/file");
    assertReads(read);
    assertThat(read.usesArchive()).isTrue();
    assertThat(read.sharedPercent()).isGreaterThan(95);
    assertThat(Files.readString(read.classes()))
        .contains("RdioReplicaAccessorBuilder source: shared")
        .contains(className + " source: shared");
  }

  /** Both ways without an archive load what the list is to have. */
  private void updateList() throws Exception {
    Path usual = conf;
    environment.put("RDIO_FAST_START", "off");
    TreeSet<String> names = new TreeSet<>(dfs("-cat", "/file").loaded());
    try (AgentProcess agent = AgentProcess.start(cluster)) {
      conf = agent.clientConf();
      names.addAll(dfs("-cat", "/file").loaded());
    }
    Files.write(Path.of("src/main/resources/io/rdio/hdfs/start/classes.txt"), names);
    conf = usual;
    environment.remove("RDIO_FAST_START");
  }

  @Test
  @EnabledIfSystemProperty(
      named = "rdio.test.all",
      matches = "true",
      disabledReason = "several archives, a minute and a half: bin/test --all")
  void otherConfigurationTakesAnotherArchive() throws Exception {
    run(RDIO, "archive");
    Path site = conf.resolve("hdfs-site.xml");
    Files.writeString(
        site,
        Files.readString(site).replace("</configuration>", "<!-- changed --></configuration>"));
    Result read = dfs("-cat", "/file");
    assertReads(read);
    assertThat(read.usesArchive()).isFalse();

    assertReads(dfs("-cat", "/file"));
    Result made = run(RDIO, "archive");
    assertThat(made.status()).isZero();
    assertThat(dfs("-cat", "/file").usesArchive()).isTrue();
  }

  @Test
  @EnabledIfSystemProperty(
      named = "rdio.test.all",
      matches = "true",
      disabledReason = "several archives, a minute and a half: bin/test --all")
  void archiveThatIsBrokenOrDoesNotFitIsNotInTheWay() throws Exception {
    Path archive = Path.of(run(RDIO, "archive").out().strip());
    Files.delete(archive);
    Files.write(archive, new byte[100_000]);
    assertReads(dfs("-cat", "/file"));

    Files.setLastModifiedTime(
        Path.of(archive.toString().replace(".jsa", ".conf.jar")), FileTime.fromMillis(1));
    Files.delete(archive);
    assertThat(run(RDIO, "archive").status()).isZero();
    Files.setLastModifiedTime(
        Path.of(archive.toString().replace(".jsa", ".conf.jar")), FileTime.fromMillis(1));
    Result read = dfs("-cat", "/file");
    assertReads(read);
    assertThat(read.usesArchive()).isFalse();
  }

  @Test
  void folderThatCannotBeMadeIsNotInTheWay() throws Exception {
    environment.put("RDIO_START_DIR", "/proc/none");
    assertReads(dfs("-cat", "/file"));
    Result made = run(RDIO, "archive");
    assertThat(made.status()).isNotZero();
  }

  @Test
  void canBeSwitchedOff() throws Exception {
    environment.put("RDIO_FAST_START", "off");
    assertReads(dfs("-cat", "/file"));
    assertThat(cache).doesNotExist();
  }

  /** Where there is an archive: to make one takes longer than all else here. */
  private void assertFailureIsHadoopsOwn() throws Exception {
    Result read = dfs("-cat", "/none");
    assertThat(read.status()).isEqualTo(1);
    assertThat(read.out()).isEmpty();
    assertThat(read.err()).contains("`/none': No such file or directory");
  }
}
