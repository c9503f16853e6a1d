// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.hdfs;

import io.rdio.bench.client.Answer;
import io.rdio.hdfs.cluster.AgentDaemon;
import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.cluster.Proc;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * What a cluster's processes, devices and the loopback interface have used up to some moment.
 *
 * @param dataNodeCpuSeconds user and system time of all DataNodes
 * @param agentCpuSeconds the same of the agent; 0 where none runs
 * @param loopbackBytes over the loopback interface
 * @param readBytes from all volumes' devices
 * @param writtenBytes to all volumes' devices
 */
record Meters(
    double dataNodeCpuSeconds,
    double agentCpuSeconds,
    long loopbackBytes,
    long readBytes,
    long writtenBytes) {

  /** As they are now. */
  static Meters of(Cluster cluster, @Nullable AgentDaemon agent) throws IOException {
    double cpu = 0;
    long read = 0;
    long written = 0;
    for (int i = 0; i < cluster.dataNodes(); i++) {
      String device = cluster.volume(i).device();
      cpu += cluster.dataNode(i).cpuSeconds();
      read += Proc.bytesRead(device);
      written += Proc.bytesWritten(device);
    }
    double agentCpu = agent == null ? 0 : agent.cpuSeconds();
    return new Meters(cpu, agentCpu, Proc.loopbackBytes(), read, written);
  }

  /** What was used between an earlier moment and this one. */
  Meters since(Meters before) {
    return new Meters(
        dataNodeCpuSeconds - before.dataNodeCpuSeconds,
        agentCpuSeconds - before.agentCpuSeconds,
        loopbackBytes - before.loopbackBytes,
        readBytes - before.readBytes,
        writtenBytes - before.writtenBytes);
  }

  /** A pass of reads that used so much. */
  Pass pass(Way way, Answer answer) {
    return new Pass(way, answer, dataNodeCpuSeconds, agentCpuSeconds, loopbackBytes, readBytes);
  }
}
