// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.agent;

import io.rdio.agent.daemon.AgentLimits;
import io.rdio.hdfs.ConfigKey;
import io.rdio.hdfs.RdioConfigKeys;
import io.rdio.hdfs.client.namenode.UnlistedBlocks;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.net.NetUtils;
import org.jspecify.annotations.Nullable;

/**
 * What an agent's configuration says of itself.
 *
 * @param firstBytes 0 to get the map of every block that is opened, also of those of which little
 *     is wanted
 * @param pastDataNodes whether maps can be had of blocks whose DataNodes are dead
 * @param metrics where to show figures; null for nowhere
 * @param readTimeout how long a device that does not answer is waited for; zero for as long as it
 *     takes
 * @param rpcTimeout how long a NameNode is waited for
 * @param parityMemory bytes for the stripes of all groups that it writes
 * @param parityAlarm how long a committed group may be without parity before that is told
 * @param parityTimeMax the same, before its parity is given up
 */
record AgentConfig(
    Path socket,
    AgentLimits limits,
    long firstBytes,
    boolean pastDataNodes,
    @Nullable InetSocketAddress metrics,
    Duration readTimeout,
    Duration rpcTimeout,
    long parityMemory,
    Duration parityAlarm,
    Duration parityTimeMax) {
  /**
   * Blocks that are written at the same time: of one process as many as have lanes by default, and
   * memory for the CRCs of as many blocks of 128 MiB as may be written at all.
   */
  private static final AgentLimits.Writes WRITES = new AgentLimits.Writes(64, 256, 256L << 20);

  /**
   * Reads it.
   *
   * @throws IllegalArgumentException with the key and its value
   */
  static AgentConfig of(Configuration conf) {
    return new AgentConfig(
        Path.of(RdioConfigKeys.CLIENT_AGENT_SOCKET.get(conf)),
        new AgentLimits(
            RdioConfigKeys.AGENT_LANES_PER_PROCESS_MAX.get(conf),
            RdioConfigKeys.AGENT_LANES_MAX.get(conf),
            RdioConfigKeys.AGENT_LANES_PER_USER_MAX.get(conf),
            RdioConfigKeys.AGENT_OPEN_PER_PROCESS_MAX.get(conf),
            RdioConfigKeys.AGENT_MEMORY_PER_PROCESS_MAX.get(conf),
            RdioConfigKeys.AGENT_MEMORY_PER_USER_MAX.get(conf),
            RdioConfigKeys.AGENT_PATIENCE.get(conf),
            RdioConfigKeys.AGENT_IDLE.get(conf),
            WRITES),
        RdioConfigKeys.CLIENT_FIRST_BYTES.get(conf),
        UnlistedBlocks.areWanted(conf),
        metrics(conf),
        RdioConfigKeys.CLIENT_READ_TIMEOUT.get(conf),
        RdioConfigKeys.CLIENT_RPC_TIMEOUT.get(conf),
        RdioConfigKeys.CLIENT_WRITE_PARITY_MEMORY.get(conf),
        RdioConfigKeys.CLIENT_WRITE_PARITY_ALARM.get(conf),
        RdioConfigKeys.CLIENT_WRITE_PARITY_TIME_MAX.get(conf));
  }

  private static @Nullable InetSocketAddress metrics(Configuration conf) {
    ConfigKey<String> key = RdioConfigKeys.AGENT_METRICS_ADDRESS;
    if (!key.isSet(conf)) {
      return null;
    }
    try {
      return NetUtils.createSocketAddr(key.get(conf));
    } catch (IllegalArgumentException e) {
      throw key.wrong(key.written(conf), "HOST:PORT, or nothing for none", e);
    }
  }
}
