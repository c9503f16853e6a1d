// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cluster;

import io.rdio.core.testing.Requirements;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;

/**
 * A ResourceManager and a NodeManager as JVMs of their own, for MapReduce jobs on the files of a
 * {@link Cluster}. The NodeManager, and so the containers, which are JVMs of their own too, are
 * user nobody without a capability or a device (sandbox.sh). Not thread-safe.
 */
public final class Yarn implements AutoCloseable {
  private static final String HOST = "127.0.0.1";
  private static final Duration START_TIME_MAX = Duration.ofSeconds(90);
  private static final List<String> OPTIONS =
      List.of("-Xmx512m", "-XX:TieredStopAtLevel=1", "-Drdio.log.level=INFO");
  private static final String SERVER = "org.apache.hadoop.yarn.server.";
  private static final String QUICK_START =
      "-Xmx200m -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Djava.net.preferIPv4Stack=true";

  private final Path folder;
  private final Map<String, String> keys;
  private final Teardown teardown;
  private final HadoopDaemon resourceManager;
  private final HadoopDaemon nodeManager;

  private Yarn(Cluster cluster, Path folder, Teardown teardown) throws IOException {
    this.folder = folder;
    this.teardown = teardown;
    Path conf = folder.resolve("conf");
    Set<Integer> taken = new HashSet<>();
    keys = keys(folder, containersClassPath(conf), taken);
    Configuration all = cluster.clientConf(false);
    keys.forEach(all::set);
    complete(SiteFiles.write(conf, all));
    resourceManager =
        daemon("resourcemanager.ResourceManager", List.of(), "yarn.resourcemanager", Yarn::hasNode);
    nodeManager =
        daemon("nodemanager.NodeManager", sandbox(), "yarn.nodemanager", Yarn::isNodeManager);
    nodeManager.awaitReady();
    resourceManager.awaitReady();
  }

  /** Starts both; they take jobs when this returns. */
  public static Yarn start(Cluster cluster) throws IOException {
    for (String tool : List.of("setpriv", "unshare", "python3")) {
      Requirements.requireTool(tool);
    }
    Path folder = Files.createTempDirectory("rdio-yarn-").toRealPath();
    Teardown teardown = Teardown.of(folder);
    try {
      Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
      for (String open : List.of("tmp", "local", "logs")) {
        Files.setPosixFilePermissions(
            Files.createDirectory(folder.resolve(open)),
            PosixFilePermissions.fromString("rwxrwxrwx"));
      }
      return new Yarn(cluster, folder, teardown);
    } catch (IOException | RuntimeException e) {
      teardown.close();
      throw e;
    }
  }

  private static String containersClassPath(Path conf) throws IOException {
    return TestClusters.hadoop("yarn").behind(conf).with(TestClusters.jar().toString()).value();
  }

  private static List<String> sandbox() {
    Path script = Path.of("src/test/resources/io/rdio/hdfs/agent/sandbox.sh");
    return List.of("bash", script.toAbsolutePath().toString());
  }

  private static Map<String, String> keys(Path folder, String classPath, Set<Integer> taken)
      throws IOException {
    Map<String, String> keys = new TreeMap<>();
    String manager = "yarn.resourcemanager.";
    for (String server : List.of("", "scheduler.", "resource-tracker.", "admin.", "webapp.")) {
      keys.put(manager + server + "address", HOST + ":" + Ports.free(taken));
    }
    keys.put(manager + "scheduler.class", SERVER + "resourcemanager.scheduler.fifo.FifoScheduler");
    keys.put(manager + "nodemanagers.heartbeat-interval-ms", "100");
    String node = "yarn.nodemanager.";
    for (String server : List.of("", "localizer.", "webapp.")) {
      keys.put(node + server + "address", HOST + ":" + Ports.free(taken));
    }
    keys.put(node + "local-dirs", folder.resolve("local").toString());
    keys.put(node + "log-dirs", folder.resolve("logs").toString());
    keys.put(node + "aux-services", "mapreduce_shuffle");
    keys.put(node + "resource.memory-mb", "4096");
    keys.put(node + "vmem-check-enabled", "false");
    keys.put(node + "disk-health-checker.max-disk-utilization-per-disk-percentage", "99.9");
    keys.put("yarn.scheduler.minimum-allocation-mb", "256");
    keys.put("yarn.application.classpath", classPath.replace(File.pathSeparatorChar, ','));
    keys.put("hadoop.tmp.dir", folder.resolve("tmp").toString());
    mapReduce(keys);
    return keys;
  }

  /** Small JVMs that start fast, and short waits. */
  private static void mapReduce(Map<String, String> keys) {
    keys.put("mapreduce.framework.name", "yarn");
    keys.put("mapreduce.application.classpath", "");
    keys.put("mapreduce.shuffle.port", "0");
    keys.put("mapreduce.client.progressmonitor.pollinterval", "100");
    keys.put("mapreduce.client.completion.pollinterval", "100");
    keys.put("mapreduce.task.io.sort.mb", "32");
    keys.put("yarn.app.mapreduce.am.resource.mb", "512");
    keys.put("yarn.app.mapreduce.am.command-opts", QUICK_START);
    keys.put("yarn.app.mapreduce.am.scheduler.heartbeat.interval-ms", "100");
    for (String task : List.of("map", "reduce")) {
      keys.put("mapreduce." + task + ".memory.mb", "512");
      keys.put("mapreduce." + task + ".java.opts", QUICK_START);
      keys.put("mapreduce." + task + ".maxattempts", "1");
    }
  }

  private HadoopDaemon daemon(
      String name, List<String> prefix, String keysOf, HadoopDaemon.Readiness readiness)
      throws IOException {
    ProcessBuilder jvm =
        HadoopJvm.of(
            folder,
            folder.resolve("conf"),
            TestClusters.hadoop("yarn").with(TestClusters.jar().toString()),
            OPTIONS,
            SERVER + name);
    List<String> command = new ArrayList<>(prefix);
    command.addAll(jvm.command());
    return HadoopDaemon.start(
        name,
        jvm.command(command),
        folder.resolve(name + ".log"),
        keys.get(keysOf + ".webapp.address"),
        readiness,
        START_TIME_MAX,
        teardown);
  }

  private static boolean hasNode(HadoopDaemon manager) throws IOException {
    Object nodes =
        manager.jmx("Hadoop:service=ResourceManager,name=ClusterMetrics").get("NumActiveNMs");
    return Integer.valueOf(1).equals(nodes);
  }

  private static boolean isNodeManager(HadoopDaemon manager) throws IOException {
    return !manager.jmx("Hadoop:service=NodeManager,name=NodeManagerMetrics").isEmpty();
  }

  /** What the configuration of whoever submits jobs has besides. */
  public Map<String, String> keys() {
    return keys;
  }

  /** Has YARN and MapReduce find in a configuration's folder what HDFS finds there. */
  public static Path complete(Path conf) throws IOException {
    for (String name : List.of("yarn-site.xml", "mapred-site.xml")) {
      Files.copy(conf.resolve("core-site.xml"), conf.resolve(name));
    }
    return conf;
  }

  /** A client that submits jobs, not started yet. */
  public ProcessBuilder client(Path conf, String... mainClass) throws IOException {
    return HadoopJvm.of(folder, conf, TestClusters.withAllOfRdio("yarn"), OPTIONS, mainClass);
  }

  /** Makes sure that a process started with {@link #client} does not outlive this. */
  public void killLater(Process process) throws IOException {
    teardown.killLater(process.pid());
  }

  /** User and system time of all containers so far, in seconds. */
  public double containersCpuSeconds() throws IOException {
    return Proc.descendantsCpuSeconds(nodeManager.pid());
  }

  /** The NodeManager's own so far, in seconds. */
  public double nodeManagerCpuSeconds() throws IOException {
    return nodeManager.cpuSeconds();
  }

  /** The ResourceManager's so far, in seconds. */
  public double resourceManagerCpuSeconds() throws IOException {
    return resourceManager.cpuSeconds();
  }

  /** What the containers wrote, all of it. */
  public String logs() throws IOException {
    StringBuilder all = new StringBuilder();
    try (Stream<Path> files = Files.walk(folder.resolve("logs"))) {
      for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
        all.append(file).append(":\n").append(Files.readString(file));
      }
    }
    return all.toString();
  }

  /** Ends both, and containers that are left. */
  @Override
  public void close() throws IOException {
    nodeManager.stop();
    resourceManager.stop();
    ProcessHandle.allProcesses()
        .filter(each -> each.info().commandLine().orElse("").contains(folder.toString()))
        .filter(each -> each.info().command().orElse("").endsWith("java"))
        .forEach(ProcessHandle::destroyForcibly);
    teardown.close();
  }
}
