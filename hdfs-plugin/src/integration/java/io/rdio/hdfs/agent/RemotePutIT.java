// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rdio.core.FallbackReason;
import io.rdio.core.testing.Requirements;
import io.rdio.hdfs.RdioConfigKeys;
import io.rdio.hdfs.client.RdioFileSystem;
import io.rdio.hdfs.client.way.FallbackLog;
import io.rdio.hdfs.client.write.WriteCounters;
import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.cluster.HadoopJvm;
import io.rdio.hdfs.cluster.ProcessEnd;
import io.rdio.hdfs.cluster.TestClusters;
import io.rdio.hdfs.it.Counts;
import io.rdio.hdfs.it.RdioClient;
import io.rdio.hdfs.it.ReadMode;
import io.rdio.hdfs.it.SeededFile;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.PrivilegedExceptionAction;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.log4j.Appender;
import org.apache.log4j.Level;
import org.apache.log4j.Logger;
import org.apache.log4j.SimpleLayout;
import org.apache.log4j.WriterAppender;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Processes without a right on a device, whose files the agent writes to two DataNodes. */
@Tag("loop")
final class RemotePutIT {
  private static final int BLOCK = 4 << 20;
  private static final int LENGTH = 2 * BLOCK + 12_345;
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  /** Eight of them may be too small for a block. */
  private static final int SLOTS = 16;

  private static final String FOLDER = "/put";
  private static final String BEAN = "Hadoop:service=DataNode,name=RdioDataNode-*";

  private static final String[] WRITING = {
    "fs.hdfs.impl",
    RdioFileSystem.class.getName(),
    RdioConfigKeys.CLIENT_WRITE.name(),
    "auto",
    RdioConfigKeys.CLIENT_AGENT.name(),
    "required",
  };

  private static final WriteCounters WRITES = WriteCounters.OF_THIS_JVM;

  private static Cluster cluster;
  private static DistributedFileSystem stock;
  private static AgentProcess agent;

  @BeforeAll
  static void start() throws IOException {
    Requirements.requireLoop("ext4");
    cluster =
        TestClusters.builder()
            .dataNodes(2)
            .volumeBytes(700L << 20)
            .set("dfs.blocksize", Integer.toString(BLOCK))
            .set("dfs.block.access.token.enable", "true")
            .set(RdioConfigKeys.DATANODE_WRITE.name(), "on")
            .set(RdioConfigKeys.DATANODE_WRITE_POOL_SIZE.name(), "80m")
            .set(RdioConfigKeys.DATANODE_WRITE_LEASE_DURATION.name(), "10s")
            .set(RdioConfigKeys.DATANODE_WRITE_IO_TIME_MAX.name(), "1s")
            .start();
    stock = (DistributedFileSystem) cluster.fileSystem(false);
    stock.mkdirs(new org.apache.hadoop.fs.Path(FOLDER));
    stock.setPermission(new org.apache.hadoop.fs.Path(FOLDER), new FsPermission((short) 01777));
    agent = AgentProcess.start(cluster, List.of(), Map.of("dfs.client.rdio.agent.write", "on"));
  }

  @AfterAll
  static void close() throws IOException {
    if (agent != null) {
      agent.close();
    }
    if (stock != null) {
      stock.close();
    }
    if (cluster != null) {
      cluster.close();
    }
  }

  private static void awaitSlots() {
    await()
        .atMost(PATIENCE)
        .until(
            () -> {
              for (int i = 0; i < 2; i++) {
                Object free = cluster.dataNode(i).jmx(BEAN).get("SlotsFree");
                if (free == null || ((Number) free).longValue() < SLOTS) {
                  return false;
                }
              }
              return true;
            });
  }

  private static void assertContent(org.apache.hadoop.fs.Path path, SeededFile expected, int length)
      throws IOException {
    try (FSDataInputStream in = stock.open(path)) {
      byte[] got = in.readAllBytes();
      assertThat(got).hasSize(length);
      expected.check(0, got);
    }
  }

  /** By the agent that wrote it, and by a process that opens the devices itself. */
  private static void assertReadByRdio(SeededFile file) throws IOException {
    try (FileSystem byAgent = FileSystem.newInstance(writingBy(agent));
        RdioClient direct = RdioClient.of(cluster)) {
      Counts.awaitRead(ReadMode.BY_AGENT, byAgent, file, PATIENCE);
      Counts.awaitReadByRdio(direct.fs(), file, PATIENCE);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"hadoop-3.3", "hadoop-3.4.1", "hadoop-3.4", "hadoop-3.5"})
  void hdfsPutWritesByTheAgent(String hadoop) throws Exception {
    Requirements.requireTool("setpriv");
    Requirements.requireTool("unshare");
    Requirements.requireTool("python3");
    awaitSlots();
    long before = agent.figure("blocks_written_total");
    SeededFile file =
        new SeededFile(
            new org.apache.hadoop.fs.Path(FOLDER + "/" + hadoop), SeededFile.random(LENGTH, 5));
    Path local = Files.createTempFile("rdio-put", ".bin");
    try {
      Files.write(local, file.bytes());
      Files.setPosixFilePermissions(local, PosixFilePermissions.fromString("rw-r--r--"));
      assertThat(put(hadoop, local, file.path().toString())).endsWith("status 0");
    } finally {
      Files.delete(local);
    }
    assertContent(file.path(), file, LENGTH);
    assertReadByRdio(file);
    assertThat(agent.figure("blocks_written_total")).isEqualTo(before + 3);
    assertThat(agent.figure("replicas_lost_total")).isZero();
    assertThat(stock.getFileStatus(file.path()).getOwner()).isEqualTo("nobody");
  }

  /** What a shell without any right says, and behind it its status. */
  private static String put(String hadoop, Path local, String target) throws Exception {
    ProcessBuilder shell =
        HadoopJvm.of(
            cluster.folder(),
            agent.clientConf(WRITING),
            TestClusters.withAllOfRdio(hadoop),
            List.of(),
            "org.apache.hadoop.fs.FsShell",
            "-put",
            local.toString(),
            target);
    Path sandbox =
        Path.of(Objects.requireNonNull(RemotePutIT.class.getResource("sandbox.sh")).toURI());
    List<String> command = new ArrayList<>(List.of("bash", sandbox.toString()));
    command.addAll(shell.command());
    Process process = shell.command(command).redirectErrorStream(true).start();
    cluster.killLater(process);
    ProcessEnd end = ProcessEnd.of(process, "hdfs dfs -put by " + hadoop);
    return end.output() + "status " + end.status();
  }

  private static Configuration writingBy(AgentProcess by) {
    Configuration conf = cluster.clientConf(true);
    conf.set(RdioConfigKeys.CLIENT_AGENT_SOCKET.name(), by.socket().toString());
    for (int i = 0; i < WRITING.length; i += 2) {
      conf.set(WRITING[i], WRITING[i + 1]);
    }
    return conf;
  }

  /** The other files stock HDFS writes, and the log of the process says why. */
  @Test
  void agentOfAnOrdinaryUserWritesFilesThatItMayRead() throws Exception {
    UserGroupInformation alice =
        UserGroupInformation.createUserForTesting("alice", new String[] {"users"});
    List<String> asUser = List.of("env", "HADOOP_USER_NAME=rdio");
    try (AgentProcess own =
            AgentProcess.start(cluster, asUser, Map.of("dfs.client.rdio.agent.write", "on"));
        FileSystem fs = alice.doAs(instance(writingBy(own)));
        WhyStock why = new WhyStock()) {
      awaitSlots();
      long bytes = WRITES.bytes.sum();
      long refused = WRITES.fallbacks(FallbackReason.LOCATION_UNKNOWN);
      writeWith(fs, "open", "rw-r--r--");
      assertThat(WRITES.bytes.sum()).isEqualTo(bytes + LENGTH);

      writeWith(fs, "private", "rw-------");
      assertThat(WRITES.bytes.sum()).isEqualTo(bytes + LENGTH);
      assertThat(WRITES.fallbacks(FallbackReason.LOCATION_UNKNOWN)).isEqualTo(refused + 1);
      assertThat(why.toString())
          .contains("Permission denied: user=rdio", "run it as a superuser of HDFS");
    }
  }

  /** What this JVM's clients log of files that stock HDFS writes. */
  private static final class WhyStock implements AutoCloseable {
    private final StringWriter text = new StringWriter();
    private final Appender appender = new WriterAppender(new SimpleLayout(), text);
    private final Logger logger = Logger.getLogger(FallbackLog.class);
    private final Level before = logger.getLevel();

    WhyStock() {
      logger.setLevel(Level.DEBUG); // it is loud once in a while only
      logger.addAppender(appender);
    }

    @Override
    public String toString() {
      return text.toString();
    }

    @Override
    public void close() {
      logger.removeAppender(appender);
      logger.setLevel(before);
    }
  }

  private static PrivilegedExceptionAction<FileSystem> instance(Configuration conf) {
    return () -> FileSystem.newInstance(conf);
  }

  private static void writeWith(FileSystem fs, String name, String permission) throws IOException {
    org.apache.hadoop.fs.Path path = new org.apache.hadoop.fs.Path(FOLDER + "/" + name);
    SeededFile file = new SeededFile(path, SeededFile.random(LENGTH, 7));
    try (FSDataOutputStream out =
        fs.create(
            path, FsPermission.valueOf("-" + permission), true, 4096, (short) 2, BLOCK, null)) {
      out.write(file.bytes());
    }
    assertContent(path, file, LENGTH);
  }

  @Test
  void agentThatIsKilledLosesTheBlockAndNothingElse() throws Exception {
    awaitSlots();
    org.apache.hadoop.fs.Path path = new org.apache.hadoop.fs.Path(FOLDER + "/killed");
    SeededFile file = new SeededFile(path, SeededFile.random(2 * BLOCK, 6));
    try (FileSystem fs = FileSystem.newInstance(writingBy(agent))) {
      FSDataOutputStream out = fs.create(path);
      out.write(file.bytes(), 0, BLOCK + (3 << 20));
      agent.kill();
      assertThatThrownBy(
              () -> {
                out.write(file.bytes(), BLOCK + (3 << 20), 1 << 20);
                out.close();
              })
          .isInstanceOf(IOException.class)
          .hasMessageContaining("is lost");
      assertThatThrownBy(out::close).isInstanceOf(IOException.class);
    } finally {
      agent.restart();
    }
    await().atMost(PATIENCE).until(() -> stock.recoverLease(path));
    assertContent(path, file, BLOCK);
    agent.closeClients(); // what they have is of the one that is dead
    assertReadByRdio(new SeededFile(path, file.range(0, BLOCK)));
  }
}
