// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.agent;

import io.rdio.agent.daemon.AgentPorts;
import io.rdio.agent.daemon.AgentServer;
import io.rdio.agent.daemon.DeviceWrites;
import io.rdio.agent.daemon.WritePorts;
import io.rdio.client.write.BlockWriters;
import io.rdio.client.write.ParityBacklog;
import io.rdio.client.write.ParityEncoder;
import io.rdio.client.write.ParityParts;
import io.rdio.client.write.StripeMemory;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.device.RingQueue;
import io.rdio.core.time.BootTimeClock;
import io.rdio.hdfs.RdioConfigKeys;
import io.rdio.hdfs.client.direct.Detours;
import io.rdio.hdfs.client.direct.RdioClientContext;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.jspecify.annotations.Nullable;

/**
 * The agent of this host: holds devices, leases, file maps and the connections to DataNodes for all
 * processes of the host. It asks NameNodes and DataNodes as the user that it runs as. Thread-safe.
 */
public final class HostAgent implements AutoCloseable {
  /** Where who wants little of a block stops reading; how little that is, its process says. */
  private static final long LITTLE = 0;

  /** Less than what a probe of Kubernetes in kubernetes/agent-daemonset.yaml waits. */
  private static final Duration HEALTH_BOUND = Duration.ofSeconds(2);

  private final AgentConfig config;
  private final RdioClientContext client;
  private final TokenRights rights;

  /** Null where this agent does not write. */
  private final @Nullable DeviceWrites writes;

  private final ReplicaVerdicts verdicts;
  private boolean uring;
  private @Nullable AgentServer server;
  private @Nullable AgentMetrics metrics;

  private HostAgent(AgentConfig config, RdioClientContext client, ParityEncoder.Source codes) {
    this.config = config;
    this.client = client;
    this.rights = new TokenRights(client.nameNodes(), config.rpcTimeout());
    BlockWriters writers = client.writers();
    this.writes = writers == null ? null : new DeviceWrites(writers, parity(codes));
    this.verdicts = new ReplicaVerdicts(client::stockBlocks);
  }

  private ParityParts parity(ParityEncoder.Source codes) {
    return new ParityParts(
        codes,
        new StripeMemory(config.parityMemory()),
        new ParityBacklog(
            config.parityAlarm(),
            config.parityTimeMax(),
            new BootTimeClock(),
            client.readContext().counters().keeperFailures));
  }

  /**
   * Begins to serve: the socket is there when this returns.
   *
   * @param from configuration of the cluster's clients; whether these use RDIO makes no difference
   * @throws IOException if the socket cannot be listened at
   * @throws FallbackException CONFIGURATION_INVALID, ASYNC_IO_UNAVAILABLE, or why else nothing
   *     could be read here
   */
  public static HostAgent start(Configuration from) throws IOException, FallbackException {
    Configuration conf = new Configuration(from);
    conf.setBoolean(RdioConfigKeys.CLIENT_ENABLED.name(), true);
    conf.set(RdioConfigKeys.CLIENT_AGENT.name(), "off"); // it is what the others ask
    AgentConfig config = config(conf);
    RdioClientContext client = RdioClientContext.ofAgent(conf);
    client.requireUsable();
    HostAgent agent = new HostAgent(config, client, HadoopParity.of(conf));
    boolean good = false;
    try {
      agent.serve();
      good = true;
      return agent;
    } finally {
      if (!good) {
        agent.close();
      }
    }
  }

  private void serve() throws IOException, FallbackException {
    try (RingQueue first = RingQueue.open()) { // or each READ would hear that there is none
      uring = first.isUring();
    }
    Detours detours = new Detours(config.firstBytes(), config.pastDataNodes(), null);
    AgentPorts ports =
        new AgentPorts(
            client.readContext(),
            rights,
            request -> detours.begin(client.maps(), request, LITTLE),
            verdicts,
            () -> RingQueue.open(config.readTimeout()),
            writes == null ? null : new WritePorts(new ChosenTargets(client.nameNodes()), writes));
    AgentServer started = AgentServer.start(config.socket(), ports, config.limits());
    server = started;
    InetSocketAddress address = config.metrics();
    if (address != null) {
      metrics =
          AgentMetrics.start(
              address, started::status, () -> started.requireAnswering(HEALTH_BOUND));
    }
  }

  private static AgentConfig config(Configuration conf) throws FallbackException {
    try {
      return AgentConfig.of(conf);
    } catch (IllegalArgumentException e) {
      throw new FallbackException(
          FallbackReason.CONFIGURATION_INVALID, String.valueOf(e.getMessage()));
    }
  }

  /**
   * Asks it how it is; see {@link AgentServer#requireAnswering}.
   *
   * @throws FallbackException why it does not answer
   */
  public void requireAnswering(Duration bound) throws FallbackException {
    AgentServer serving = server;
    if (serving == null) {
      throw new FallbackException(FallbackReason.AGENT_UNAVAILABLE, config.socket().toString());
    }
    serving.requireAnswering(bound);
  }

  /** Whether it writes for its processes where DataNodes allow it. */
  public boolean isWriting() {
    return writes != null;
  }

  /** Whether it reads by io_uring; else by io_submit. */
  public boolean isByUring() {
    return uring;
  }

  /** Where it listens. */
  public Path socket() {
    return config.socket();
  }

  /** What it did and has, by names. */
  public Map<String, Long> figures() {
    return server == null ? Map.of() : server.figures();
  }

  /** Ends all conversations and what they write, then returns the leases; within seconds. */
  @Override
  public void close() {
    if (metrics != null) {
      metrics.close();
    }
    if (server != null) {
      server.close();
    }
    if (writes != null) {
      writes.close();
    }
    verdicts.close();
    client.close();
  }
}
