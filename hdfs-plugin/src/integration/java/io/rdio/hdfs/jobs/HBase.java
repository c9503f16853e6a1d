// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.jobs;

import io.rdio.core.testing.Requirements;
import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.cluster.HadoopClassPath;
import io.rdio.hdfs.cluster.HadoopDaemon;
import io.rdio.hdfs.cluster.HadoopJvm;
import io.rdio.hdfs.cluster.Ports;
import io.rdio.hdfs.cluster.Teardown;
import io.rdio.hdfs.cluster.TestClusters;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.FileSystem;

/**
 * HBase on a {@link Cluster}: ZooKeeper, a master, and region servers that read HDFS each in its
 * own way, all of them JVMs of their own with HBase's own main classes, from the jars that {@code
 * bin/lib/hbase} fetches. Not thread-safe.
 */
final class HBase implements AutoCloseable {
  private static final String VERSION = "2.6.4-hadoop3";
  private static final Path HOME =
      Path.of(System.getenv().getOrDefault("HOME", "/root"), ".cache", "rdio", "hbase");
  private static final Path PROGRAM = Path.of("src/it/java/HBaseTable.java").toAbsolutePath();
  private static final String PACKAGE = "org.apache.hadoop.hbase.";
  private static final Duration START_TIME_MAX = Duration.ofSeconds(90);
  private static final int TIME_MAX_SECONDS = 180;

  /** What its own launch script asks of a Java 17 JVM besides. */
  private static final List<String> OPTIONS =
      List.of(
          "-Xmx512m",
          "-XX:TieredStopAtLevel=1",
          "-Djava.net.preferIPv4Stack=true",
          "-Dzookeeper.admin.enableServer=false",
          "-Dorg.slf4j.simpleLogger.defaultLogLevel=info",
          "-Dorg.apache.hbase.thirdparty.io.netty.tryReflectionSetAccessible=true",
          "--add-modules=jdk.unsupported",
          "--add-opens=java.base/java.nio=ALL-UNNAMED",
          "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
          "--add-opens=java.base/jdk.internal.ref=ALL-UNNAMED",
          "--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED");

  private final Path folder;
  private final Teardown teardown;
  private final Set<Integer> taken = new HashSet<>();
  private final Map<String, String> keys;
  private final List<HadoopDaemon> daemons = new ArrayList<>();

  /** A region server, and the port by which clients know it. */
  record RegionServer(HadoopDaemon daemon, int port) {
    /** What RDIO counted in it since it was started, by names. */
    Map<String, Object> rdio() throws IOException {
      return daemon.jmx("Hadoop:service=HBase,name=RdioClient");
    }
  }

  private HBase(Path folder, Teardown teardown, Map<String, String> keys) {
    this.folder = folder;
    this.teardown = teardown;
    this.keys = keys;
  }

  /** Skips unless it is here. */
  static void require() {
    Requirements.require(
        Files.isRegularFile(HOME.resolve("rdio-version")),
        "there is no HBase " + VERSION + ": bin/lib/hbase/run " + HOME + " " + VERSION);
  }

  /** One of which nothing is started yet, with its tables in a cluster. */
  static HBase on(Cluster cluster) throws IOException {
    Path folder = Files.createTempDirectory("rdio-hbase-").toRealPath();
    Teardown teardown = Teardown.of(folder);
    try {
      for (String pages : new String[] {"master", "regionserver"}) {
        Files.createDirectories(classes(folder).resolve("hbase-webapps").resolve(pages));
      }
      HBase hbase = new HBase(folder, teardown, new TreeMap<>());
      hbase.setKeys(FileSystem.getDefaultUri(cluster.clientConf(false)) + "/hbase");
      return hbase;
    } catch (IOException | RuntimeException e) {
      teardown.close();
      throw e;
    }
  }

  /**
   * Has empty folders for the pages of its web servers, which are not in its jars and not optional.
   */
  private static Path classes(Path folder) {
    return folder.resolve("classes");
  }

  /** docs/resilience.md says what those are for that are not addresses. */
  private void setKeys(String root) throws IOException {
    keys.put("hbase.rootdir", root);
    keys.put("hbase.wal.dir", folder.resolve("wal").toUri().toString());
    keys.put("hbase.unsafe.stream.capability.enforce", "false");
    keys.put("hbase.regionserver.compaction.enabled", "false");
    keys.put("hfile.block.cache.size", "0");
    keys.put("hbase.cluster.distributed", "true");
    keys.put("hbase.tmp.dir", folder.resolve("tmp").toString());
    keys.put("hbase.zookeeper.quorum", "localhost");
    keys.put("hbase.zookeeper.property.clientPort", Integer.toString(Ports.free(taken)));
    keys.put("hbase.zookeeper.property.dataDir", folder.resolve("zookeeper").toString());
    keys.put("hbase.zookeeper.peerport", Integer.toString(Ports.free(taken)));
    keys.put("hbase.zookeeper.leaderport", Integer.toString(Ports.free(taken)));
    keys.put("hbase.master.port", Integer.toString(Ports.free(taken)));
    keys.put("hbase.master.info.port", Integer.toString(Ports.free(taken)));
  }

  /** What the configuration of its daemons and clients has besides. */
  Map<String, String> keys() {
    return keys;
  }

  /** Has HBase find in a configuration's folder what HDFS finds there. */
  static Path complete(Path conf) throws IOException {
    Files.copy(conf.resolve("core-site.xml"), conf.resolve("hbase-site.xml"));
    return conf;
  }

  /** Starts ZooKeeper and a master. */
  void startMaster(Path conf) throws IOException {
    Process zooKeeper =
        jvm(conf, PACKAGE + "zookeeper.HQuorumPeer")
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("zookeeper.log").toFile())
            .start();
    teardown.killLater(zooKeeper.pid());
    int infoPort = Integer.parseInt(keys.get("hbase.master.info.port"));
    start("Master", conf, infoPort, "master.HMaster", "start");
  }

  /** Starts a region server; it serves when this returns. */
  RegionServer startRegionServer(Path conf) throws IOException {
    int port = Ports.free(taken);
    int infoPort = Ports.free(taken);
    HadoopDaemon daemon =
        start(
            "RegionServer",
            conf,
            infoPort,
            "regionserver.HRegionServer",
            "-Dhbase.regionserver.port=" + port,
            "-Dhbase.regionserver.info.port=" + infoPort,
            "start");
    daemon.awaitReady();
    return new RegionServer(daemon, port);
  }

  private HadoopDaemon start(String name, Path conf, int infoPort, String main, String... arguments)
      throws IOException {
    List<String> command = new ArrayList<>(List.of(PACKAGE + main));
    command.addAll(List.of(arguments));
    HadoopDaemon daemon =
        HadoopDaemon.start(
            name,
            jvm(conf, command.toArray(String[]::new)),
            folder.resolve(name + infoPort + ".log"),
            "127.0.0.1:" + infoPort,
            each -> !each.jmx("Hadoop:service=HBase,name=" + name + ",sub=Server").isEmpty(),
            START_TIME_MAX,
            teardown);
    daemons.add(daemon);
    return daemon;
  }

  private ProcessBuilder jvm(Path conf, String... main) {
    HadoopClassPath jars =
        new HadoopClassPath(HOME.resolve("lib") + "/*")
            .with(classes(folder).toString())
            .with(TestClusters.jar().toString());
    return HadoopJvm.of(folder, conf, jars, OPTIONS, main);
  }

  /** A client, as {@code src/it/java/HBaseTable.java} says, not started yet. */
  ProcessBuilder client(Path conf, String... arguments) {
    List<String> command = new ArrayList<>(List.of(PROGRAM.toString()));
    command.addAll(List.of(arguments));
    return jvm(conf, command.toArray(String[]::new));
  }

  /** Runs such a client to its end; its exit status. */
  int run(Path conf, String... arguments) throws IOException, InterruptedException {
    Process process =
        client(conf, arguments)
            .redirectErrorStream(true)
            .redirectOutput(Path.of("target", "hbase-" + arguments[0] + ".log").toFile())
            .start();
    teardown.killLater(process.pid());
    if (!process.waitFor(TIME_MAX_SECONDS, TimeUnit.SECONDS)) {
      process.destroyForcibly();
      throw new IOException("still at it: " + List.of(arguments));
    }
    return process.exitValue();
  }

  /** Ends all at once: in order they would write to HDFS, where nobody takes it any more. */
  @Override
  public void close() throws IOException {
    for (HadoopDaemon daemon : daemons) {
      daemon.kill();
      Path log = Path.of("target", "hbase-" + daemon.log().getFileName());
      Files.copy(daemon.log(), log, StandardCopyOption.REPLACE_EXISTING);
    }
    teardown.close();
  }
}
