// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.datanode;

import io.rdio.core.wire.ProtocolRange;
import io.rdio.datanode.server.MetadataServerLimits;
import io.rdio.datanode.server.MetadataServerPolicy;
import io.rdio.hdfs.ConfigKey;
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
            RdioConfigKeys.DATANODE_CONNECTIONS_MAX.get(conf),
            RdioConfigKeys.DATANODE_CONNECTIONS_PER_ADDRESS_MAX.get(conf),
            RdioConfigKeys.DATANODE_RECALL_STREAMS_MAX.get(conf),
            RdioConfigKeys.DATANODE_GRANTS_WAITING_MAX.get(conf),
            RdioConfigKeys.DATANODE_CALLS_QUEUED_MAX.get(conf),
            RdioConfigKeys.DATANODE_RESETS_PER_CONNECTION_MAX.get(conf),
            HANDSHAKE,
            IDLE);
    return new MetadataServerPolicy(limits, mayListLeases(conf), ProtocolRange.SUPPORTED);
  }

  private static Predicate<InetAddress> mayListLeases(Configuration conf) {
    ConfigKey<String> key = RdioConfigKeys.DATANODE_LIST_LEASES_FROM;
    String value = key.get(conf);
    try {
      MachineList machines = new MachineList(value);
      return address -> machines.includes(address.getHostAddress());
    } catch (IllegalArgumentException e) {
      throw key.wrong(value, "addresses, host names or CIDR ranges with commas between, or *", e);
    }
  }
}
