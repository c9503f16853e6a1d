// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.agent;

import static io.rdio.hdfs.cluster.Shape.SHORT_EXT4;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.core.testing.Requirements;
import io.rdio.hdfs.RdioConfigKeys;
import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.cluster.ProcessEnd;
import io.rdio.hdfs.cluster.SharedClusters;
import io.rdio.hdfs.cluster.Shares;
import io.rdio.hdfs.it.ReadOnce;
import io.rdio.hdfs.it.SeededFile;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Processes that read by the agent of their host, and agents that are not there. */
@Tag("loop")
@Shares(SHORT_EXT4) // leases of agents that are killed are over soon
class HostAgentIT {
  private static final int BLOCK = 1 << 20;
  private static final int BLOCKS = 5;
  private static final int LENGTH = BLOCKS * BLOCK + 77;

  private static final String LIBRARIES =
      "(io\\.(netty|grpc|rdio\\.shaded)|com\\.google|com\\.github)\\..*|io\\.rdio\\.hdfs\\.client\\.direct\\..*";

  /** Beyond those of stock HDFS, and counted without lambdas. */
  private static final int MOST_CLASSES = 130;

  /** Major version of the class files of Java 8, and where it is in them. */
  private static final int JAVA_8 = 52;

  private static final int CLASS_FILE_VERSION_AT = 6;

  private static Cluster cluster;
  private static FileSystem stock;
  private static SeededFile file;

  private static AgentProcess agent;

  @BeforeAll
  static void write(SharedClusters clusters) throws IOException {
    cluster = clusters.of(SHORT_EXT4);
    stock = cluster.fileSystem(false);
    file = SeededFile.write(stock, "/by-agent", LENGTH, 1);
    agent = AgentProcess.start(cluster);
  }

  @AfterAll
  static void close() throws IOException {
    if (agent != null) {
      agent.close();
    }
    if (stock != null) {
      stock.close();
    }
  }

  /** Tests may end it. */
  @BeforeEach
  void start() throws IOException {
    if (!agent.isAlive()) {
      agent.restart();
    }
  }

  private ReadOnce.Result read(List<String> prefix, String... keysAndValues) throws Exception {
    ReadOnce.Result result =
        ReadOnce.run(cluster, agent.clientConf(keysAndValues), prefix, List.of(), file.path());
    assertThat(result.crc()).isEqualTo(ReadOnce.crcOf(file.bytes()));
    return result;
  }

  private static void assertByAgent(ReadOnce.Result result) {
    assertThat(result.fallbacks()).isEmpty();
    assertThat(result.agentBytes()).isEqualTo(LENGTH);
    assertThat(result.rdioBytes()).isEqualTo(LENGTH);
  }

  @Test
  void processReadsByTheAgent() throws Exception {
    assertByAgent(read(List.of()));
  }

  @Test
  void processWithoutAnyRightReadsByTheAgent() throws Exception {
    Requirements.requireTool("setpriv");
    Requirements.requireTool("unshare");
    Requirements.requireTool("python3");
    List<String> sandbox = List.of("bash", resource("sandbox.sh").toString());
    assertByAgent(read(sandbox, "dfs.client.rdio.agent", "required"));
    Path vectored =
        agent.clientConf(
            "dfs.client.rdio.agent",
            "required",
            "fs.hdfs.impl",
            "io.rdio.hdfs.client.RdioFileSystem");
    for (String how : List.of("4096", "700001", ReadOnce.VECTORED)) {
      ReadOnce.Result result =
          ReadOnce.run(cluster, vectored, sandbox, List.of(), file.path(), how);
      assertThat(result.crc()).as(how).isEqualTo(ReadOnce.crcOf(file.bytes()));
      assertByAgent(result);
    }
    assertThat(read(sandbox, "dfs.client.rdio.agent", "off").rdioBytes())
        .as("the sandbox keeps it from the device")
        .isZero();
  }

  @Test
  void agentThatIsKeptFromIoUringServesAllTheSame() throws Exception {
    Requirements.requireTool("python3");
    List<String> filter = List.of("python3", resource("without_io_uring.py").toString());
    try (AgentProcess kept = AgentProcess.start(cluster, filter, Map.of())) {
      assertThat(kept.log()).contains("it reads by io_submit");
      assertByAgent(ReadOnce.run(cluster, kept.clientConf(), List.of(), List.of(), file.path()));
      for (String each : List.of("4096", "300000")) {
        assertByAgent(
            ReadOnce.run(cluster, kept.clientConf(), List.of(), List.of(), file.path(), each));
      }
    }
    assertThat(agent.log()).contains("it reads by io_uring");
  }

  @Test
  void agentThatMayReadInNoWaySaysSoAndEnds() throws Exception {
    Requirements.requireTool("python3");
    List<String> filter =
        List.of("python3", resource("without_io_uring.py").toString(), "--nor-io-submit");
    assertThatThrownBy(() -> AgentProcess.start(cluster, filter, Map.of()))
        .hasMessageContaining("ASYNC_IO_UNAVAILABLE")
        .hasMessageContaining("allow one of them");
  }

  @Test
  void processLoadsLittleForIt(@TempDir Path logs) throws Exception {
    Set<String> classes = classes(logs.resolve("agent"), "dfs.client.rdio.agent", "required");
    assertThat(versionsInTheJar(classes))
        .containsKeys("io.rdio.hdfs.client.RdioReplicaAccessor", "io.rdio.core.FallbackReason")
        .allSatisfy((name, version) -> assertThat(version).as(name).isEqualTo(JAVA_8));
    classes.removeAll(classes(logs.resolve("stock"), "dfs.client.rdio.enabled", "false"));
    assertThat(classes).contains("io.rdio.agent.ipc.AgentBlock");
    assertThat(classes).noneMatch(name -> name.matches(LIBRARIES));
    assertThat(classes).hasSizeLessThan(MOST_CLASSES);
  }

  /** Of those that are in the jar that users install, the versions of their class files. */
  private static Map<String, Integer> versionsInTheJar(Set<String> classes) throws IOException {
    Map<String, Integer> versions = new TreeMap<>();
    try (JarFile jar = new JarFile(System.getProperty("rdio.jar"))) {
      for (String name : classes) {
        ZipEntry entry = jar.getEntry(name.replace('.', '/') + ".class");
        if (entry != null) {
          try (DataInputStream in = new DataInputStream(jar.getInputStream(entry))) {
            in.skipNBytes(CLASS_FILE_VERSION_AT);
            versions.put(name, in.readUnsignedShort());
          }
        }
      }
    }
    return versions;
  }

  /** Names of the classes that a process loads which reads the file; lambdas without numbers. */
  private Set<String> classes(Path log, String... keysAndValues) throws Exception {
    ReadOnce.run(
        cluster,
        agent.clientConf(keysAndValues),
        List.of(),
        List.of("-Xlog:class+load:file=" + log),
        file.path());
    try (Stream<String> lines = Files.lines(log)) {
      return lines
          .map(line -> line.replaceFirst("^(\\[[^]]*] *)+", "").split(" ", 2)[0])
          .map(name -> name.replaceFirst("(/0x|\\$\\$Lambda\\$).*", ""))
          .collect(Collectors.toCollection(HashSet::new));
    }
  }

  @Test
  void processSaysAtItsEndWhatReadForItIfItIsToldTo() throws Exception {
    String line = "RDIO: .* read from HDFS, .* of it by RDIO \\(100 %\\): .* by the agent";
    for (String told : List.of("true", "false")) {
      ReadOnce.run(
          cluster,
          agent.clientConf("dfs.client.rdio.exit.report", told),
          List.of(),
          List.of("-Drdio.log.level=INFO"),
          file.path());
      assertThat(Pattern.compile(line).matcher(Files.readString(ReadOnce.ERRORS)).find())
          .as(told)
          .isEqualTo(Boolean.parseBoolean(told));
    }
  }

  private static Path resource(String name) throws Exception {
    return Path.of(Objects.requireNonNull(HostAgentIT.class.getResource(name), name).toURI());
  }

  @Test
  void commandsTellOfTheAgent() throws Exception {
    read(List.of());
    String key = "-D" + RdioConfigKeys.CLIENT_AGENT_SOCKET + "=" + agent.socket();
    assertThat(command("doctor", key, "/by-agent"))
        .contains("ok     agent", "listens at " + agent.socket());
    assertThat(command("stat", key))
        .containsPattern("Agent of this host: .*read_bytes_total=[1-9].* sessions_total=[1-9]");
    agent.kill();
    assertThat(command("doctor", key, "/by-agent")).contains("note   agent", "none (");
    assertThat(command("stat", key)).doesNotContain("Agent of this host");
  }

  private static String command(String... arguments) throws Exception {
    return command(List.of(), cluster.confFolder(true), arguments);
  }

  /** What a command of rdio says, and behind it its status. */
  private static String command(List<String> prefix, Path conf, String... arguments)
      throws Exception {
    ProcessBuilder rdio = cluster.jvm(conf, List.of(), words("io.rdio.hdfs.cli.Rdio", arguments));
    List<String> command = new ArrayList<>(prefix);
    command.addAll(rdio.command());
    Process process = rdio.command(command).redirectErrorStream(true).start();
    cluster.killLater(process);
    ProcessEnd end = ProcessEnd.of(process, "rdio " + arguments[0]);
    return end.output() + "status " + end.status();
  }

  private static String[] words(String first, String... others) {
    return Stream.concat(Stream.of(first), Stream.of(others)).toArray(String[]::new);
  }

  @Test
  void doctorIsContentWithWhatTheAgentMayThoughItsUserMayNothing() throws Exception {
    read(List.of()); // the test read is to find its map
    List<String> sandbox = List.of("bash", resource("sandbox.sh").toString());
    assertThat(command(sandbox, agent.clientConf(), "doctor", "/by-agent"))
        .contains(
            "ok     agent", "whether the agent has it", "Reads go to the device.", "status 0");
  }

  @Test
  void doctorsTestReadIsThatOfAProcessThatReadsMuch() throws Exception {
    agent.kill();
    assertThat(
            command(
                List.of(),
                agent.clientConf("dfs.client.rdio.device.after", "128m"),
                "doctor",
                "/by-agent"))
        .contains("note   agent", "once it has read 128m", "Reads go to the device.", "status 0");
  }

  @Test
  void agentIsNotAskedWhereItIsOff() throws Exception {
    ReadOnce.Result result = read(List.of(), "dfs.client.rdio.agent", "off");
    assertThat(result.agentBytes()).isZero();
    assertThat(result.rdioBytes()).isEqualTo(LENGTH);
  }

  @Test
  void deadAgentsSocketLeadsToTheDevice() throws Exception {
    agent.kill();
    assertThat(agent.socket()).exists();
    ReadOnce.Result result = read(List.of());
    assertThat(result.agentBytes()).isZero();
    assertThat(result.rdioBytes()).isEqualTo(LENGTH);
    assertThat(result.fallbacks()).isEmpty();
  }

  @Test
  void stockHdfsReadsWhereTheAgentIsRequiredAndDead() throws Exception {
    agent.kill();
    ReadOnce.Result result = read(List.of(), "dfs.client.rdio.agent", "required");
    assertThat(result.rdioBytes()).isZero();
    assertThat(result.fallbacks()).isEqualTo("AGENT_UNAVAILABLE=" + (BLOCKS + 1));
  }

  @Test
  void agentThatHangsCostsItsPatienceOnce() throws Exception {
    agent.pause();
    try {
      ReadOnce.Result result = read(List.of(), "dfs.client.rdio.read.timeout", "1s");
      assertThat(result.agentBytes()).isZero();
      assertThat(result.rdioBytes()).isEqualTo(LENGTH);
    } finally {
      agent.resume();
    }
  }

  @Test
  void agentEndsInOrderAndNextOneServes() throws Exception {
    assertThat(agent.end()).isIn(0, 143);
    assertThat(agent.socket()).doesNotExist();
    agent.restart();
    assertByAgent(read(List.of()));
  }

  @Test
  void nextAgentTakesThePlaceOfOneThatWasKilled() throws Exception {
    agent.kill();
    agent.restart();
    assertByAgent(read(List.of()));
  }

  @Test
  void secondAgentIsRefused() throws Exception {
    Process second =
        cluster
            .jvm(agent.clientConf(), List.of(), "io.rdio.hdfs.cli.Rdio", "agent")
            .redirectErrorStream(true)
            .start();
    cluster.killLater(second);
    ProcessEnd end = ProcessEnd.of(second, "the second agent");
    assertThat(end.status()).isEqualTo(1);
    assertThat(end.output()).contains("Another agent listens at " + agent.socket());
    assertByAgent(read(List.of()));
  }
}
