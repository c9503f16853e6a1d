// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.versions;

import static io.rdio.hdfs.cluster.Shape.PLAIN_EXT4;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.agent.ipc.AgentProbe;
import io.rdio.core.testing.Requirements;
import io.rdio.hdfs.agent.AgentProcess;
import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.cluster.HadoopJvm;
import io.rdio.hdfs.cluster.ProcessEnd;
import io.rdio.hdfs.cluster.SharedClusters;
import io.rdio.hdfs.cluster.Shares;
import io.rdio.hdfs.cluster.TestClusters;
import io.rdio.hdfs.it.SeededFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * {@code hdfs dfs} on the releases of Java that people run, by an agent on this build's, and by
 * itself. The runtimes come from {@code bin/lib/jres}.
 */
@Tag("loop")
@Shares(PLAIN_EXT4)
class JavaVersionsIT {
  private static final int LENGTH = 3_000_000;
  private static final int TAIL = 1024;
  private static final long PATIENCE = Duration.ofSeconds(60).toNanos();
  private static final String READ_BYTES = "rdio_agent_read_bytes_total ";

  private static Cluster cluster;
  private static FileSystem stock;
  private static SeededFile file;
  private static AgentProcess agent;

  @TempDir private Path said;

  @BeforeAll
  static void start(SharedClusters clusters) throws IOException {
    cluster = clusters.of(PLAIN_EXT4);
    stock = cluster.fileSystem(false);
    file = SeededFile.write(stock, "/on-another-java", LENGTH, 7);
    agent = AgentProcess.start(cluster);
  }

  @AfterAll
  static void stop() throws IOException {
    if (agent != null) {
      agent.close();
    }
    if (stock != null) {
      stock.close();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "8, hadoop-3.3",
    "8, hadoop-3.4",
    "11, hadoop-3.3",
    "11, hadoop-3.4",
    "21, hadoop-3.5",
    "25, hadoop-3.5"
  })
  void commandReadsByTheAgentAndSaysNothingOfIt(String java, String hadoop) throws Exception {
    Path conf = agent.clientConf("dfs.client.rdio.agent", "required");
    long before = bytesByAgent();
    assertThat(dfs(java, hadoop, conf, "-cat")).isEqualTo(file.bytes());
    assertThat(Files.readString(said.resolve("err"))).doesNotContain("RDIO", "io.rdio");
    assertThat(bytesByAgent() - before).isGreaterThanOrEqualTo(LENGTH);
    assertThat(dfs(java, hadoop, conf, "-tail")).isEqualTo(file.range(LENGTH - TAIL, LENGTH));
    assertThat(bytesByAgent() - before).isGreaterThanOrEqualTo(LENGTH + TAIL);
  }

  @ParameterizedTest
  @CsvSource({"8, hadoop-3.4", "11, hadoop-3.4"})
  void whereJavaIsTooOldForDevicesStockHdfsReads(String java, String hadoop) throws Exception {
    Path conf = agent.clientConf("dfs.client.rdio.agent", "off");
    assertThat(dfs(java, hadoop, conf, "-cat")).isEqualTo(file.bytes());
    assertThat(Files.readString(said.resolve("err"))).contains("JVM_TOO_OLD");
  }

  private static long bytesByAgent() throws Exception {
    return AgentProbe.status(agent.socket().toString(), PATIENCE)
        .lines()
        .filter(line -> line.startsWith(READ_BYTES))
        .mapToLong(line -> Long.parseLong(line.substring(READ_BYTES.length())))
        .findFirst()
        .orElseThrow();
  }

  /** What a command of {@code hdfs dfs} prints of the file. */
  private byte[] dfs(String java, String hadoop, Path conf, String command) throws Exception {
    Path out = said.resolve("out");
    Path err = said.resolve("err");
    ProcessBuilder jvm =
        HadoopJvm.of(
            cluster.folder(),
            conf,
            TestClusters.withAllOfRdio(hadoop),
            List.of("-XX:TieredStopAtLevel=1"),
            "org.apache.hadoop.fs.FsShell",
            command,
            file.path().toString());
    jvm.command(onJava(java, jvm.command()));
    Process process = jvm.redirectOutput(out.toFile()).redirectError(err.toFile()).start();
    cluster.killLater(process);
    assertThat(ProcessEnd.statusOf(process, "hdfs dfs " + command)).as(() -> text(err)).isZero();
    return Files.readAllBytes(out);
  }

  private static List<String> onJava(String release, List<String> command) {
    Path runtimes =
        Path.of(System.getenv().getOrDefault("HOME", "/root"), ".cache", "rdio", "jres");
    Path launcher = runtimes.resolve(release).resolve("bin").resolve("java");
    Requirements.require(
        Files.isExecutable(launcher),
        "there is no Java " + release + ": bin/lib/jres " + runtimes + " " + release);
    boolean hasModules = Integer.parseInt(release) > 8;
    return command.stream()
        .map(word -> word.equals(command.get(0)) ? launcher.toString() : word)
        .filter(word -> hasModules || !word.startsWith("--add-opens"))
        // Which only the JVM that made it can take.
        .filter(word -> !word.startsWith("-XX:SharedArchiveFile"))
        .toList();
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      return e.toString();
    }
  }
}
