// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.datanode;

import io.rdio.core.fence.ReservationType;
import io.rdio.datanode.allocate.WriteConfig;
import io.rdio.datanode.grant.GrantConfig;
import io.rdio.datanode.server.MetadataServerPolicy;
import io.rdio.hdfs.ConfigKey;
import io.rdio.hdfs.RdioConfigKeys;
import io.rdio.hdfs.datanode.write.WriteKeys;
import java.net.InetSocketAddress;
import java.util.Locale;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.net.NetUtils;
import org.jspecify.annotations.Nullable;

/**
 * The plugin's keys, checked.
 *
 * @param address to listen on
 * @param server what clients may take of it
 * @param sweepMillis between two looks at what is pinned
 * @param appendWaitMillis for holders of a block that HDFS is about to change
 * @param allowUnencrypted grant although the cluster asks for encrypted transfer
 * @param fence whether devices are reserved for this host, and for agents' where they write
 * @param writes what remote writes are to keep to; null where there are none
 */
record DataNodeConfig(
    InetSocketAddress address,
    MetadataServerPolicy server,
    GrantConfig grants,
    long sweepMillis,
    long appendWaitMillis,
    boolean allowUnencrypted,
    Fence fence,
    @Nullable WriteConfig writes) {
  /** Whether devices are reserved for this host. */
  enum Fence {
    OFF,
    AUTO,
    REQUIRED
  }

  /**
   * @throws IllegalArgumentException that names the key, its value and what is allowed
   */
  static DataNodeConfig of(Configuration conf) {
    WriteConfig writes = WriteKeys.of(conf);
    return new DataNodeConfig(
        address(conf),
        ServerConfig.of(conf),
        grants(conf),
        RdioConfigKeys.DATANODE_RECALL_CHECK_INTERVAL.get(conf).toMillis(),
        RdioConfigKeys.DATANODE_APPEND_WAIT.get(conf).toMillis(),
        RdioConfigKeys.DATANODE_ALLOW_UNENCRYPTED.get(conf),
        fence(conf, writes),
        writes);
  }

  /** Whoever demands that agents can be shut out demands what they are shut out by. */
  private static Fence fence(Configuration conf, @Nullable WriteConfig writes) {
    Fence fence = Fence.valueOf(RdioConfigKeys.DATANODE_FENCE.get(conf).toUpperCase(Locale.ROOT));
    boolean isDemanded = writes != null && writes.fencing() == WriteConfig.Fencing.DEMANDED;
    return isDemanded && fence == Fence.OFF ? Fence.AUTO : fence;
  }

  /** Of which kind the reservations are: agents' hosts write beside this one, if any do. */
  ReservationType reservationType() {
    return writes == null
        ? ReservationType.WRITE_EXCLUSIVE
        : ReservationType.WRITE_EXCLUSIVE_ALL_REGISTRANTS;
  }

  private static GrantConfig grants(Configuration conf) {
    return GrantConfig.builder()
        .leaseMillis(RdioConfigKeys.DATANODE_LEASE_DURATION.get(conf).toMillis())
        .maxIoMillis(RdioConfigKeys.DATANODE_IO_TIME_MAX.get(conf).toMillis())
        .pinsPerVolume(RdioConfigKeys.DATANODE_PINS_MAX.get(conf))
        .pinnedDeletedBytesPerVolume(RdioConfigKeys.DATANODE_PINNED_DELETED_BYTES_MAX.get(conf))
        .leasesPerAddress(RdioConfigKeys.DATANODE_LEASES_PER_ADDRESS_MAX.get(conf))
        .pinnedBytesPerAddress(RdioConfigKeys.DATANODE_PINNED_BYTES_PER_ADDRESS_MAX.get(conf))
        .leasesMax(RdioConfigKeys.DATANODE_LEASES_MAX.get(conf))
        .heapMax(RdioConfigKeys.DATANODE_LEASES_MEMORY_MAX.get(conf))
        .batchMax(RdioConfigKeys.DATANODE_GRANT_BATCH_MAX.get(conf))
        .build();
  }

  private static InetSocketAddress address(Configuration conf) {
    ConfigKey<String> key = RdioConfigKeys.DATANODE_ADDRESS;
    String value = key.get(conf);
    InetSocketAddress address;
    try {
      address = NetUtils.createSocketAddr(value);
    } catch (IllegalArgumentException e) {
      throw key.wrong(value, "host:port", e);
    }
    if (address.isUnresolved()) {
      throw key.wrong(value, "an address of this host and a port", null);
    }
    return address;
  }
}
