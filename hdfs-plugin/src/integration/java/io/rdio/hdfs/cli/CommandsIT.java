// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cli;

import static io.rdio.hdfs.cluster.Shape.PLAIN_EXT4;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.hdfs.agent.AgentProcess;
import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.cluster.ProcessEnd;
import io.rdio.hdfs.cluster.SharedClusters;
import io.rdio.hdfs.cluster.Shares;
import io.rdio.hdfs.it.SeededFile;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPOutputStream;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every command of {@code hdfs dfs} that reads, and {@code distcp}: with RDIO the same output, exit
 * status and messages as without, for files that are there and for some that are not.
 */
@Tag("loop")
@Shares(PLAIN_EXT4)
class CommandsIT {
  private static final int LENGTH = 2_345_678;
  private static final String FILE = "/read/file";
  private static final String PACKED = "/read/packed.gz";

  /** OUT is a folder of HDFS and of the local file system that is each run's own. */
  private static final List<String> COMMANDS =
      List.of(
          "-cat " + FILE,
          "-cat -ignoreCrc " + FILE,
          "-cat /read/*",
          "-cat /read /read/none " + FILE,
          "-head " + FILE,
          "-tail " + FILE,
          "-tail /read/none",
          "-text " + PACKED,
          "-text " + FILE,
          "-checksum " + FILE,
          "-get " + FILE + " OUT/got",
          "-get -crc " + FILE + " OUT/with-crc",
          "-get -ignoreCrc " + FILE + " OUT/without-crc",
          "-get " + FILE + " OUT/got",
          "-copyToLocal " + PACKED + " OUT/copied",
          "-getmerge /read OUT/merged",
          "-cp " + FILE + " OUT/copy",
          "-cat OUT/copy",
          "-checksum OUT/none",
          "distcp -Dmapreduce.framework.name=local /read OUT/distcp",
          "-cat OUT/distcp/file");

  /** Commands that read all of the file, at least; the others read some of it. */
  private static final int READ_ALL = 14;

  @TempDir static Path folder;
  private static Cluster cluster;
  private static AgentProcess agent;
  private static SeededFile file;

  @BeforeAll
  static void write(SharedClusters clusters) throws IOException {
    cluster = clusters.of(PLAIN_EXT4);
    try (FileSystem stock = cluster.fileSystem(false)) {
      file = SeededFile.write(stock, FILE, LENGTH, 1);
      try (OutputStream packed =
          new GZIPOutputStream(stock.create(new org.apache.hadoop.fs.Path(PACKED)))) {
        packed.write(SeededFile.random(LENGTH / 2, 2));
      }
    }
    agent = AgentProcess.start(cluster);
  }

  @AfterAll
  static void stop() throws IOException {
    if (agent != null) {
      agent.close();
    }
  }

  /** What one run of all commands printed, without what is its own: the folder and the time. */
  private record Run(List<String> commands, List<String> messages, long rdioBytes) {}

  private static Run run(String name, Path conf) throws Exception {
    Path out = Files.createDirectory(folder.resolve(name));
    try (FileSystem stock = cluster.fileSystem(false)) {
      stock.mkdirs(new org.apache.hadoop.fs.Path(out.toString()));
    }
    List<String> words = new ArrayList<>(List.of(ShellCommands.class.getName()));
    COMMANDS.forEach(command -> words.add(command.replace("OUT", out.toString())));
    Path err = folder.resolve(name + ".err");
    Process process =
        cluster
            .jvm(conf, List.of("-Xmx512m", "-XX:TieredStopAtLevel=1"), words.toArray(String[]::new))
            .redirectError(err.toFile())
            .start();
    cluster.killLater(process);
    ProcessEnd end = ProcessEnd.of(process, "all commands of " + name);
    assertThat(end.status()).as(end.output() + Files.readString(err)).isZero();
    List<String> lines =
        new ArrayList<>(end.output().replace(out.toString(), "OUT").lines().toList());
    String bytes = lines.remove(lines.size() - 1);
    assertThat(bytes).startsWith(ShellCommands.BYTES);
    checkFiles(out);
    return new Run(
        lines,
        Files.readString(err)
            .replace(out.toString(), "OUT")
            .lines()
            .map(line -> line.replaceFirst("^[-0-9]+ [:,0-9]+ ", ""))
            .filter(line -> !line.contains("mapred") && !line.contains("tools."))
            .toList(),
        Long.parseLong(bytes.substring(ShellCommands.BYTES.length())));
  }

  private static void checkFiles(Path out) throws IOException {
    for (String got : List.of("got", "with-crc", "without-crc")) {
      file.check(0, Files.readAllBytes(out.resolve(got)));
    }
    try (FileSystem stock = cluster.fileSystem(false)) {
      for (String copy : List.of("/copy", "/distcp/file")) {
        try (FSDataInputStream in = stock.open(new org.apache.hadoop.fs.Path(out + copy))) {
          file.check(0, in.readAllBytes());
        }
      }
    }
  }

  @Test
  void allIsAsWithoutRdio() throws Exception {
    Run stock = run("stock", cluster.confFolder(false));
    assertThat(stock.rdioBytes()).isZero();
    assertThat(stock.commands().get(0)).startsWith("-cat " + FILE + ": 0 " + LENGTH + " ");
    Path direct =
        cluster.addConfFolder("conf-commands", true, Map.of("dfs.client.rdio.agent", "off"));
    Map<String, Path> ways =
        Map.of("device", direct, "agent", agent.clientConf("dfs.client.rdio.agent", "required"));
    for (String way : ways.keySet().stream().sorted().toList()) {
      Run rdio = run(way, ways.get(way));
      assertThat(rdio.commands()).as(way).isEqualTo(stock.commands());
      assertThat(rdio.messages()).as(way).isEqualTo(stock.messages());
      assertThat(rdio.rdioBytes()).as(way).isGreaterThan((long) READ_ALL * LENGTH);
    }
  }
}
