// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.fault;

import io.rdio.hdfs.agent.AgentProcess;
import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.cluster.HadoopDaemon;
import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;
import java.util.random.RandomGenerator;

/** Kills and pauses whoever takes part in a write, one after the other, by chance. */
final class AttackFaults {
  /** Longer than a write lease: whoever is stopped for so long is killed by the lease's timer. */
  private static final int LONGEST_PAUSE_MILLIS = 5_000;

  private final Cluster cluster;
  private final int dataNodes;
  private final AgentProcess agent;
  private final AttackClients clients;
  private final RandomGenerator random;
  private final Map<String, Integer> counts = new TreeMap<>();

  AttackFaults(
      Cluster cluster,
      int dataNodes,
      AgentProcess agent,
      AttackClients clients,
      RandomGenerator random) {
    this.cluster = cluster;
    this.dataNodes = dataNodes;
    this.agent = agent;
    this.clients = clients;
    this.random = random;
  }

  /** One of them; all are up again when this returns, but for an agent whose timer was faster. */
  void next() throws Exception {
    if (!agent.isAlive()) {
      agent.restart();
      count("agent killed by its timer");
    }
    HadoopDaemon dataNode = cluster.dataNode(random.nextInt(dataNodes));
    long millis = random.nextInt(LONGEST_PAUSE_MILLIS);
    switch (random.nextInt(6)) {
      case 0 -> killAgent();
      case 1 -> pauseAgent(millis);
      case 2 -> {
        clients.killOne();
        count("client killed");
      }
      case 3 -> {
        clients.pauseOne(millis);
        count("client paused");
      }
      case 4 -> {
        dataNode.kill();
        dataNode.start();
        count("DataNode killed");
      }
      default -> {
        AttackClients.signal("STOP", dataNode.pid());
        clients.goOn(millis);
        AttackClients.signal("CONT", dataNode.pid());
        count("DataNode paused");
      }
    }
  }

  private void killAgent() throws IOException {
    agent.kill();
    agent.restart();
    count("agent killed");
  }

  /** If that takes longer than its leases, their timer kills it: now or before its next fault. */
  private void pauseAgent(long millis) throws IOException, InterruptedException {
    try {
      agent.pause();
      clients.goOn(millis);
      agent.resume();
      count("agent paused");
    } catch (IOException e) {
      if (agent.isAlive()) {
        throw e;
      }
    }
  }

  private void count(String what) {
    counts.merge(what, 1, Integer::sum);
  }

  @Override
  public String toString() {
    return counts.toString();
  }
}
