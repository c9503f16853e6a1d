// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cli;

import static io.rdio.hdfs.cluster.Shape.PLAIN_EXT4;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.testing.Command;
import io.rdio.core.testing.Requirements;
import io.rdio.hdfs.client.direct.RdioClientContext;
import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.cluster.ProcessEnd;
import io.rdio.hdfs.cluster.SharedClusters;
import io.rdio.hdfs.cluster.Shares;
import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.net.NetUtils;
import org.apache.hadoop.util.JsonSerialization;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The commands on a real cluster: in this JVM, and as a user of another kind in its own. */
@Tag("loop")
@Shares(PLAIN_EXT4)
class CliIT {
  private static final int BLOCK = 1 << 20;
  private static final int FS_BLOCK = 4096;
  private static final int LENGTH = 2 * BLOCK + 1000;

  // A loaded machine is not what is tested here.
  private static final String PATIENT = "-Ddfs.client.rdio.rpc.timeout=20s";

  private static Cluster cluster;

  @BeforeAll
  static void start(SharedClusters clusters) throws IOException {
    cluster = clusters.of(PLAIN_EXT4);
    byte[] content = new byte[LENGTH];
    new Random(1).nextBytes(content);
    try (FileSystem fs = cluster.fileSystem(false);
        FSDataOutputStream out = fs.create(new Path("/folder/file"))) {
      out.write(content);
    }
  }

  private static CliRun run(String command, String... more) {
    List<String> args = new ArrayList<>();
    args.add(command);
    args.addAll(
        List.of("-conf", cluster.confFolder(true).resolve("hdfs-site.xml").toString(), PATIENT));
    args.addAll(List.of(more));
    return CliRun.of(args.toArray(String[]::new));
  }

  /** The doctor in a JVM of its own: its status in front of what it wrote. */
  private static String doctorInChild(List<String> prefix, List<String> jvmOptions)
      throws IOException {
    ProcessBuilder builder =
        cluster.jvm(cluster.confFolder(true), jvmOptions, Rdio.class.getName(), "doctor", PATIENT);
    List<String> command = new ArrayList<>(prefix);
    command.addAll(builder.command());
    Process child =
        builder.command(command).redirectError(new File("target", "doctor.err")).start();
    cluster.killLater(child);
    ProcessEnd end = ProcessEnd.of(child, "rdio doctor");
    return "status " + end.status() + "\n" + end.output();
  }

  @Test
  void doctorWithAllInOrder() {
    CliRun run = run("doctor");
    assertThat(run.out())
        .contains("ok     librdio", "ok     hook", "ok     switch", "ok     plugin")
        .contains("is " + cluster.volume(0).device() + " here")
        .contains(BLOCK + " bytes of /folder/file in ")
        .contains("all of them from the device")
        .doesNotContain("WRONG");
    assertThat(run.status()).isZero();
  }

  @Test
  void doctorTriesTheVolumesDevice() {
    CliRun run = run("doctor", "--tune");
    assertThat(run.out())
        .contains("all of them from the device")
        .contains("Windows of sequential reads on " + cluster.volume(0).device())
        .containsPattern("\\d+  present setting")
        .contains("<name>dfs.client.rdio.read.ahead</name>")
        .doesNotContain("WRONG");
    assertThat(run.status()).isZero();
  }

  @Test
  void doctorTriesADeviceThatIsNotThere() {
    CliRun run = run("doctor", "--tune", "/dev/none");
    assertThat(run.out()).contains("DEVICE_NOT_FOUND", "/dev/none").doesNotContain("Cluster");
    assertThat(run.status()).isEqualTo(1);
  }

  @Test
  void doctorWithRdioSwitchedOff() {
    CliRun run = run("doctor", "-Ddfs.client.rdio.enabled=false");
    assertThat(run.status()).isEqualTo(1);
    assertThat(run.out()).contains("WRONG  switch", "WRONG  test read").contains("DISABLED");
  }

  @Test
  void doctorWithNoPluginWhereItIsLookedFor() {
    CliRun run = run("doctor", "-Ddfs.client.rdio.datanode.port=1", "/folder/file");
    assertThat(run.status()).isEqualTo(1);
    assertThat(run.out())
        .contains("WRONG  plugin", "METADATA_PLANE_UNREACHABLE", "WRONG  test read");
  }

  @Test
  void doctorWithoutTheNativeLibrary() throws Exception {
    String output = doctorInChild(List.of(), List.of("-Drdio.native.path=/nonexistent"));
    assertThat(output)
        .startsWith("status 1")
        .contains("WRONG  librdio", "NATIVE_LIBRARY_UNAVAILABLE", "/nonexistent")
        .contains("ok     plugin");
  }

  @Test
  void doctorWithoutDevicePermission() throws Exception {
    Requirements.requireTool("setpriv");
    String device = cluster.volume(0).device();
    String owner = Command.run("stat", "-c", "%u:%g", device);
    String mode = Command.run("stat", "-c", "%a", device);
    Command.run("chown", "nobody", device);
    Command.run("chmod", "600", device);
    try {
      String capabilities = "-dac_override,-dac_read_search";
      String output =
          doctorInChild(
              List.of("setpriv", "--bounding-set=" + capabilities, "--inh-caps=" + capabilities),
              List.of());
      assertThat(output)
          .startsWith("status 1")
          .contains("WRONG  volume", "WRONG  test read", "DEVICE_PERMISSION", device);
    } finally {
      Command.run("chown", owner, device);
      Command.run("chmod", mode, device);
    }
  }

  @Test
  void doctorWithNothingToRead() throws IOException {
    try (FileSystem fs = cluster.fileSystem(false)) {
      fs.mkdirs(new Path("/empty"));
    }
    CliRun run = run("doctor", "/empty");
    assertThat(run.status()).isEqualTo(1);
    assertThat(run.out()).contains("no file with a block to read", "rdio doctor PATH");
  }

  @Test
  void mapShowsExtentsThatCoverEachBlock() throws IOException {
    CliRun run = run("map", "--json", "/folder/file");
    assertThat(run.err()).isEmpty();
    assertThat(run.status()).isZero();
    Map<?, ?> json = new JsonSerialization<>(Map.class, false, false).fromJson(run.out());
    List<?> blocks = (List<?>) json.get("blocks");
    List<Integer> lengths = List.of(BLOCK, BLOCK, LENGTH - 2 * BLOCK);
    assertThat(blocks).hasSameSizeAs(lengths);
    for (int i = 0; i < lengths.size(); i++) {
      Map<?, ?> block = (Map<?, ?>) blocks.get(i);
      assertThat(block.get("device")).isEqualTo(cluster.volume(0).device());
      assertThat(block.get("length")).isEqualTo(lengths.get(i));
      assertThat(((Number) block.get("lease_millis")).longValue()).isBetween(1L, 60_000L);
      long covered = 0;
      for (Object extent : (List<?>) block.get("block_extents")) {
        assertThat(((Number) ((Map<?, ?>) extent).get("offset")).longValue()).isEqualTo(covered);
        covered += ((Number) ((Map<?, ?>) extent).get("length")).longValue();
      }
      // ext4 allocates whole blocks of its own.
      assertThat(covered).isEqualTo((lengths.get(i) + FS_BLOCK - 1L) / FS_BLOCK * FS_BLOCK);
    }
  }

  @Test
  void mapForPeople() {
    CliRun run = run("map", "/folder/file");
    assertThat(run.status()).isZero();
    assertThat(run.out())
        .contains("/folder/file: 3 blocks")
        .contains("device    " + cluster.volume(0).device())
        .contains(" s left");
  }

  @Test
  void mapSaysWhyNot() {
    CliRun run = run("map", "-Ddfs.client.rdio.enabled=false", "/folder/file");
    assertThat(run.status()).isEqualTo(1);
    assertThat(run.out()).contains("no map    DISABLED").contains("fix       set dfs.client.rdio");
    CliRun missing = run("map", "/no/such/file");
    assertThat(missing.status()).isEqualTo(1);
    assertThat(missing.err()).contains("/no/such/file").doesNotContain("    at ");
  }

  @Test
  void leasesShowsTheLeaseOfAReader() throws IOException {
    try (FileSystem fs = cluster.fileSystem(true);
        RdioClientContext context = RdioClientContext.get(fs.getConf())) {
      try (FSDataInputStream in = fs.open(new Path("/folder/file"))) {
        assertThat(in.readNBytes(BLOCK)).hasSize(BLOCK);
      }
      assertThat(context.maps().leasesHeld()).isPositive();
      CliRun run = run("leases", "127.0.0.1");
      assertThat(run.status()).isZero();
      assertThat(run.out())
          .contains(":blk_")
          .contains("  " + startOf(NetUtils.getHostname()))
          .contains(context.maps().leasesHeld() + " leases on ");
    }
    CliRun nobody = run("leases", "nobody.invalid");
    assertThat(nobody.status()).isEqualTo(1);
    assertThat(nobody.err()).contains("nobody.invalid").contains("127.0.0.1:");
  }

  /** A DataNode tells of a client's id, which begins with its host, only the first few letters. */
  private static String startOf(String host) {
    return host.substring(0, Math.min(10, host.indexOf('/')));
  }

  @Test
  void statShowsThatThePluginServes() {
    CliRun run = run("stat");
    assertThat(run.status()).isZero();
    assertThat(run.out().lines().skip(1))
        .singleElement()
        .asString()
        .matches("127.0.0.1:\\d+ +1 .*");
  }
}
