// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.datanode;

import io.rdio.core.wire.ProtocolRange;
import io.rdio.datanode.server.MetadataServerLimits;
import io.rdio.datanode.server.MetadataServerPolicy;
import io.rdio.hdfs.RdioConfigKeys;
import java.net.InetAddress;
import java.time.Duration;
import java.util.function.Predicate;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.util.MachineList;

/** The keys that say what clients may take of the plugin's server, checked. */
final class ServerConfig {
  private static final Duration HANDSHAKE = Duration.ofSeconds(20);
  private static final Duration IDLE = Duration.ofMinutes(10);

  private ServerConfig() {}

  /**
   * @throws IllegalArgumentException that names the key, its value and what is allowed
   */
  static MetadataServerPolicy of(Configuration conf) {
    MetadataServerLimits limits =
        new MetadataServerLimits(
            DataNodeConfig.count(
                conf,
                RdioConfigKeys.DATANODE_CONNECTIONS_MAX_KEY,
                RdioConfigKeys.DATANODE_CONNECTIONS_MAX_DEFAULT),
            DataNodeConfig.count(
                conf,
                RdioConfigKeys.DATANODE_CONNECTIONS_PER_ADDRESS_MAX_KEY,
                RdioConfigKeys.DATANODE_CONNECTIONS_PER_ADDRESS_MAX_DEFAULT),
            DataNodeConfig.count(
                conf,
                RdioConfigKeys.DATANODE_RECALL_STREAMS_MAX_KEY,
                RdioConfigKeys.DATANODE_RECALL_STREAMS_MAX_DEFAULT),
            DataNodeConfig.count(
                conf,
                RdioConfigKeys.DATANODE_GRANTS_WAITING_MAX_KEY,
                RdioConfigKeys.DATANODE_GRANTS_WAITING_MAX_DEFAULT),
            DataNodeConfig.count(
                conf,
                RdioConfigKeys.DATANODE_CALLS_QUEUED_MAX_KEY,
                RdioConfigKeys.DATANODE_CALLS_QUEUED_MAX_DEFAULT),
            DataNodeConfig.count(
                conf,
                RdioConfigKeys.DATANODE_RESETS_PER_CONNECTION_MAX_KEY,
                RdioConfigKeys.DATANODE_RESETS_PER_CONNECTION_MAX_DEFAULT),
            HANDSHAKE,
            IDLE);
    return new MetadataServerPolicy(limits, mayListLeases(conf), ProtocolRange.SUPPORTED);
  }

  private static Predicate<InetAddress> mayListLeases(Configuration conf) {
    String key = RdioConfigKeys.DATANODE_LIST_LEASES_FROM_KEY;
    String value = conf.getTrimmed(key, RdioConfigKeys.DATANODE_LIST_LEASES_FROM_DEFAULT);
    try {
      MachineList machines = new MachineList(value);
      return address -> machines.includes(address.getHostAddress());
    } catch (IllegalArgumentException e) {
      throw DataNodeConfig.wrong(
          key, value, "addresses, host names or CIDR ranges with commas between, or *", e);
    }
  }
}
