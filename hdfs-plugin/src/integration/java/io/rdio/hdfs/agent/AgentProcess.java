// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.agent;

import static org.awaitility.Awaitility.await;

import io.rdio.agent.ipc.AgentProbe;
import io.rdio.core.FallbackException;
import io.rdio.core.testing.Command;
import io.rdio.hdfs.RdioConfigKeys;
import io.rdio.hdfs.cli.Rdio;
import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.cluster.Proc;
import io.rdio.hdfs.cluster.ProcessEnd;
import io.rdio.nativeio.NativeAvailability;
import io.rdio.nativeio.NativeLibrary;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.apache.commons.io.file.PathUtils;

/**
 * The agent of this host for the clients of one cluster, in a JVM of its own that may be killed.
 */
public final class AgentProcess implements Closeable {
  private static final AtomicInteger NUMBER = new AtomicInteger();
  private static final int PATIENCE_SECONDS = 60;
  private static final Duration LOOK = Duration.ofMillis(20);

  private final Cluster cluster;
  private final Path folder;
  private final Path conf;
  private final List<String> prefix;
  private final String main;
  private Process process;
  private Path log;

  private AgentProcess(
      Cluster cluster, Path folder, List<String> prefix, Map<String, String> keys, String main)
      throws IOException {
    this.cluster = cluster;
    this.folder = folder;
    this.conf = conf(cluster, folder, keys);
    this.prefix = prefix;
    this.main = main;
    restart();
  }

  /** Starts it; it serves when this returns. */
  public static AgentProcess start(Cluster cluster) throws IOException {
    return start(cluster, List.of(), Map.of());
  }

  /**
   * Starts it; it serves when this returns.
   *
   * @param prefix a command that becomes the JVM, such as setpriv with its options; or nothing
   * @param keys of its own
   */
  public static AgentProcess start(Cluster cluster, List<String> prefix, Map<String, String> keys)
      throws IOException {
    return new AgentProcess(cluster, newFolder(), prefix, keys, Rdio.class.getName());
  }

  /**
   * Starts it; it serves when this returns.
   *
   * @param main a class of the test's, which calls the rdio command's
   * @param keys of its own
   */
  public static AgentProcess startBy(String main, Cluster cluster, Map<String, String> keys)
      throws IOException {
    return new AgentProcess(cluster, newFolder(), List.of(), keys, main);
  }

  private static Path newFolder() throws IOException {
    return Files.createTempDirectory(
        "rdio-agent",
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")));
  }

  private static Path conf(Cluster cluster, Path folder, Map<String, String> more)
      throws IOException {
    Map<String, String> keys = new HashMap<>(more);
    keys.put(RdioConfigKeys.CLIENT_AGENT_SOCKET.name(), folder.resolve("agent.sock").toString());
    String name = "conf-agent-" + NUMBER.incrementAndGet();
    Path conf =
        Files.createDirectory(folder.resolve(name)); // the cluster's own is closed to others
    try (Stream<Path> files = Files.list(cluster.addConfFolder(name, true, keys))) {
      for (Path file : files.toList()) {
        Files.copy(file, conf.resolve(file.getFileName().toString()));
      }
    }
    return conf;
  }

  /** A folder for HADOOP_CONF_DIR of clients that ask it, with more keys. */
  public Path clientConf(String... keysAndValues) throws IOException {
    return conf(cluster, folder, pairs(keysAndValues));
  }

  private static Map<String, String> pairs(String... keysAndValues) {
    Map<String, String> keys = new HashMap<>();
    for (int i = 0; i < keysAndValues.length; i += 2) {
      keys.put(keysAndValues[i], keysAndValues[i + 1]);
    }
    return keys;
  }

  /** Where it listens. */
  public Path socket() {
    return folder.resolve("agent.sock");
  }

  /** Starts it once more. */
  public void restart() throws IOException {
    log = Files.createTempFile(Path.of("target"), "agent", ".log");
    ProcessBuilder jvm =
        cluster.jvm(conf, List.of("-Xmx256m"), main, "agent", "--report-every", "0");
    List<String> command = new ArrayList<>(prefix);
    command.addAll(jvm.command());
    process = jvm.command(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    cluster.killLater(process);
    await("the agent listens")
        .atMost(Duration.ofMinutes(1))
        .pollInterval(LOOK)
        .until(() -> log().contains("listens at") || !process.isAlive());
    if (!process.isAlive()) {
      throw new IOException("the agent ended: " + log());
    }
  }

  /** What it wrote since it was started last. */
  public String log() throws IOException {
    return Files.readString(log);
  }

  /** User and system time that it has used since it was started last, in seconds. */
  public double cpuSeconds() throws IOException {
    return Proc.cpuSeconds(process.pid());
  }

  /** One of the figures that it tells at its socket, such as {@code blocks_written_total}. */
  public long figure(String name) throws FallbackException {
    NativeAvailability library = NativeLibrary.availability();
    if (!library.isAvailable()) {
      throw new IllegalStateException(
          "the library is needed to ask the agent: " + library.detail());
    }
    return AgentProbe.status(socket().toString(), TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS))
        .lines()
        .filter(line -> line.startsWith("rdio_agent_" + name + " "))
        .mapToLong(line -> Long.parseLong(line.substring(line.lastIndexOf(' ') + 1)))
        .findFirst()
        .orElseThrow(() -> new AssertionError("the agent does not tell of " + name));
  }

  public boolean isAlive() {
    return process.isAlive();
  }

  /** SIGKILL. */
  public void kill() {
    ProcessEnd.kill(process);
  }

  /** SIGTERM; returns its exit status. */
  public int end() throws InterruptedException {
    process.destroy();
    if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
      throw new AssertionError("the agent does not end");
    }
    return process.exitValue();
  }

  /** SIGSTOP. */
  public void pause() throws IOException {
    Command.run("kill", "-STOP", Long.toString(process.pid()));
  }

  /** SIGCONT. */
  public void resume() throws IOException {
    Command.run("kill", "-CONT", Long.toString(process.pid()));
  }

  /** Lets go of what clients in this JVM have of it. */
  public void closeClients() {
    JvmAgent.client(socket()).close();
  }

  /** In order if that is possible, so that its leases are returned. */
  @Override
  public void close() throws IOException {
    process.destroy();
    process.onExit().completeOnTimeout(process, PATIENCE_SECONDS, TimeUnit.SECONDS).join();
    kill();
    PathUtils.deleteDirectory(folder);
  }
}
