// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.hdfs;

import io.rdio.hdfs.RdioConfigKeys;
import io.rdio.hdfs.cluster.AgentDaemon;
import io.rdio.hdfs.cluster.Cluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.hadoop.fs.FileSystem;
import org.jspecify.annotations.Nullable;

/**
 * The client JVM of each way of reading, and the agent that some of them ask. The cluster ends
 * them. For one thread.
 */
final class WayClients {
  /** What the path-based short-circuit read takes; the DataNode must name its user besides. */
  private static final Map<String, String> SHORT_CIRCUIT_KEYS =
      Map.of(
          "dfs.client.read.shortcircuit",
          "true",
          "dfs.client.use.legacy.blockreader.local",
          "true");

  private final Cluster cluster;
  private final ClusterOptions options;
  private final Map<Way, ClientJvm> clients = new EnumMap<>(Way.class);
  private Map<String, String> rdioKeys;
  private long dataCacheBytes;
  private String routing = "true";
  private @Nullable AgentDaemon agent;

  WayClients(Cluster cluster, ClusterOptions options) {
    this.cluster = cluster;
    this.options = options;
    this.rdioKeys = options.rdioKeys();
  }

  /** Off-heap memory that clients of {@link Way#CACHED} started from now on have for blocks. */
  void setDataCacheBytes(long bytes) {
    dataCacheBytes = bytes;
  }

  /** What dfs.client.rdio.routing clients of {@link Way#ROUTED} started from now on have. */
  void setRouting(String value) {
    routing = value;
  }

  /** More keys of clients of all ways by RDIO that are started from now on. */
  void addRdioKeys(Map<String, String> keys) {
    Map<String, String> all = new HashMap<>(rdioKeys);
    all.putAll(keys);
    rdioKeys = Map.copyOf(all);
  }

  /**
   * Starts the client of a way; if one runs, that ends.
   *
   * @param files that {@link Way#RAW} and {@link Way#LOCAL} are to find on the volume
   */
  void start(Way way, List<String> files) throws IOException {
    ClientJvm before = clients.remove(way);
    if (before != null) {
      before.end();
    }
    String buffer = options.buffer();
    String name = way.name().toLowerCase(Locale.ROOT);
    ClientJvm client =
        switch (way) {
          case STOCK -> ClientJvm.start(cluster, name, cluster.confFolder(false), "hdfs", buffer);
          case RDIO -> startRdioClient(name, rdioKeys);
          case AGENT -> startAgentClient(name, Map.of());
          case IMMEDIATE, DEFERRED -> // as the key has their names, too
              startAgentClient(name, Map.of(RdioConfigKeys.CLIENT_WRITE_PARITY.name(), name));
          case SHORT_CIRCUIT -> {
            Path conf = cluster.addConfFolder("conf-short-circuit", false, SHORT_CIRCUIT_KEYS);
            yield ClientJvm.start(cluster, name, conf, "hdfs", buffer);
          }
          case ROUTED -> {
            Map<String, String> keys = new HashMap<>(rdioKeys);
            keys.put(RdioConfigKeys.CLIENT_ROUTING.name(), routing);
            yield startRdioClient(name, keys);
          }
          case CACHED ->
              startRdioClient(
                  name,
                  Map.of(RdioConfigKeys.CLIENT_DATA_CACHE.name(), Long.toString(dataCacheBytes)));
          case LOCAL -> startLocalClient(name, files);
          case RAW -> startDeviceClient(name, files);
          case GROWN -> throw new IllegalArgumentException(way + " is of fresh JVMs only");
        };
    clients.put(way, client);
  }

  private ClientJvm startRdioClient(String name, Map<String, String> keys) throws IOException {
    Map<String, String> all = new HashMap<>(recordingKeys());
    all.putAll(FreshJvms.agentKey("off"));
    all.putAll(keys);
    Path conf = cluster.addConfFolder("conf-client-" + name, true, all);
    return ClientJvm.startWith(
        options.recordingOptions(name), cluster, name, conf, "hdfs", options.buffer());
  }

  /** RDIO learns where blocks are from the replies to the client's own calls, as README advises. */
  private Map<String, String> recordingKeys() {
    String nameNode = FileSystem.getDefaultUri(cluster.clientConf(false)).getHost();
    return Map.of(
        "dfs.client.failover.proxy.provider." + nameNode,
        "io.rdio.hdfs.client.RecordingIPFailoverProxyProvider");
  }

  /** A client that asks the agent needs to learn no locations. */
  private ClientJvm startAgentClient(String name, Map<String, String> own) throws IOException {
    startAgent();
    Map<String, String> keys = new HashMap<>(FreshJvms.agentKey("required"));
    keys.putAll(rdioKeys);
    keys.putAll(own);
    Path conf = cluster.addConfFolder("conf-client-" + name, true, keys);
    return ClientJvm.start(cluster, name, conf, "hdfs", options.buffer());
  }

  /** What it writes lies beside the DataNode's folder, on the same volume. */
  private ClientJvm startLocalClient(String name, List<String> files) throws IOException {
    Path written = cluster.volume(0).mountPoint().resolve("local-files");
    Path layout = cluster.folder().resolve("layout-" + name + ".json");
    BlockFiles.local(cluster, files, Files.createDirectories(written)).write(layout);
    return ClientJvm.start(cluster, name, cluster.confFolder(false), "local", layout.toString());
  }

  /** Starts a client that reads the blocks of files from the device, and is none of the ways'. */
  ClientJvm startDeviceClient(String name, List<String> files) throws IOException {
    Path layout = cluster.folder().resolve("layout-" + name + ".json");
    BlockFiles.layout(cluster, files).write(layout);
    return ClientJvm.start(cluster, name, cluster.confFolder(false), "device", layout.toString());
  }

  /** Starts the agent, if it does not run yet. */
  void startAgent() throws IOException {
    if (agent == null) {
      agent = AgentDaemon.start(cluster);
    }
  }

  /** The agent; null where none runs. */
  @Nullable AgentDaemon agent() {
    return agent;
  }

  /** The client of a way, which was started. */
  ClientJvm of(Way way) {
    ClientJvm client = clients.get(way);
    if (client == null) {
      throw new IllegalStateException("no client of " + way);
    }
    return client;
  }

  /** The processes of all clients so far, and of the agent. */
  List<Long> pids() {
    List<Long> pids = new ArrayList<>();
    clients.values().forEach(client -> pids.add(client.pid()));
    if (agent != null) {
      pids.add(agent.pid());
    }
    return pids;
  }

  /** Has all clients end by themselves; they read no more. */
  void end() throws IOException {
    for (ClientJvm client : clients.values()) {
      client.end();
    }
  }
}
