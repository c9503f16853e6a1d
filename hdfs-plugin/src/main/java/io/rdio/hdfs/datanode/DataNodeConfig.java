// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.datanode;

import io.rdio.datanode.grant.GrantConfig;
import io.rdio.datanode.server.MetadataServerPolicy;
import io.rdio.hdfs.RdioConfigKeys;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.net.NetUtils;
import org.apache.hadoop.util.StringUtils.TraditionalBinaryPrefix;
import org.jspecify.annotations.Nullable;

/**
 * The plugin's keys, checked.
 *
 * @param address to listen on
 * @param server what clients may take of it
 * @param sweepMillis between two looks at what is pinned
 * @param appendWaitMillis for holders of a block that HDFS is about to change
 * @param allowUnencrypted grant although the cluster asks for encrypted transfer
 */
record DataNodeConfig(
    InetSocketAddress address,
    MetadataServerPolicy server,
    GrantConfig grants,
    long sweepMillis,
    long appendWaitMillis,
    boolean allowUnencrypted) {
  /** Covers what clients cannot see of a pause of their machine: docs/protocol.md, C6. */
  private static final long IO_TIME_MAX_MIN_MILLIS = 1_000;

  private static final long DAY_MILLIS = TimeUnit.DAYS.toMillis(1);
  private static final long MAX_APPEND_WAIT_MILLIS = TimeUnit.SECONDS.toMillis(10);

  /**
   * @throws IllegalArgumentException that names the key, its value and what is allowed
   */
  static DataNodeConfig of(Configuration conf) {
    return new DataNodeConfig(
        address(conf),
        ServerConfig.of(conf),
        grants(conf),
        millis(
            conf,
            RdioConfigKeys.DATANODE_RECALL_CHECK_INTERVAL_KEY,
            RdioConfigKeys.DATANODE_RECALL_CHECK_INTERVAL_DEFAULT,
            10),
        appendWait(conf),
        conf.getBoolean(
            RdioConfigKeys.DATANODE_ALLOW_UNENCRYPTED_KEY,
            RdioConfigKeys.DATANODE_ALLOW_UNENCRYPTED_DEFAULT));
  }

  private static GrantConfig grants(Configuration conf) {
    return GrantConfig.builder()
        .leaseMillis(
            millis(
                conf,
                RdioConfigKeys.DATANODE_LEASE_DURATION_KEY,
                RdioConfigKeys.DATANODE_LEASE_DURATION_DEFAULT,
                1_000))
        .maxIoMillis(
            millis(
                conf,
                RdioConfigKeys.DATANODE_IO_TIME_MAX_KEY,
                RdioConfigKeys.DATANODE_IO_TIME_MAX_DEFAULT,
                IO_TIME_MAX_MIN_MILLIS))
        .pinsPerVolume(
            count(
                conf,
                RdioConfigKeys.DATANODE_PINS_MAX_KEY,
                RdioConfigKeys.DATANODE_PINS_MAX_DEFAULT))
        .pinnedDeletedBytesPerVolume(
            bytes(
                conf,
                RdioConfigKeys.DATANODE_PINNED_DELETED_BYTES_MAX_KEY,
                RdioConfigKeys.DATANODE_PINNED_DELETED_BYTES_MAX_DEFAULT))
        .leasesPerAddress(
            count(
                conf,
                RdioConfigKeys.DATANODE_LEASES_PER_ADDRESS_MAX_KEY,
                RdioConfigKeys.DATANODE_LEASES_PER_ADDRESS_MAX_DEFAULT))
        .pinnedBytesPerAddress(
            bytes(
                conf,
                RdioConfigKeys.DATANODE_PINNED_BYTES_PER_ADDRESS_MAX_KEY,
                RdioConfigKeys.DATANODE_PINNED_BYTES_PER_ADDRESS_MAX_DEFAULT))
        .leasesMax(
            count(
                conf,
                RdioConfigKeys.DATANODE_LEASES_MAX_KEY,
                RdioConfigKeys.DATANODE_LEASES_MAX_DEFAULT))
        .heapMax(
            bytes(
                conf,
                RdioConfigKeys.DATANODE_LEASES_MEMORY_MAX_KEY,
                RdioConfigKeys.DATANODE_LEASES_MEMORY_MAX_DEFAULT))
        .batchMax(
            count(
                conf,
                RdioConfigKeys.DATANODE_GRANT_BATCH_MAX_KEY,
                RdioConfigKeys.DATANODE_GRANT_BATCH_MAX_DEFAULT))
        .build();
  }

  private static long appendWait(Configuration conf) {
    String key = RdioConfigKeys.DATANODE_APPEND_WAIT_KEY;
    long millis = millis(conf, key, RdioConfigKeys.DATANODE_APPEND_WAIT_DEFAULT, 0);
    if (millis > MAX_APPEND_WAIT_MILLIS) {
      // Each DataNode of a pipeline waits in turn, and the writer gives up after a minute.
      throw wrong(key, conf.get(key), "a time from 0ms to 10s", null);
    }
    return millis;
  }

  private static InetSocketAddress address(Configuration conf) {
    String key = RdioConfigKeys.DATANODE_ADDRESS_KEY;
    String value = conf.getTrimmed(key, RdioConfigKeys.DATANODE_ADDRESS_DEFAULT);
    InetSocketAddress address;
    try {
      address = NetUtils.createSocketAddr(value);
    } catch (IllegalArgumentException e) {
      throw wrong(key, value, "host:port", e);
    }
    if (address.isUnresolved()) {
      throw wrong(key, value, "an address of this host and a port", null);
    }
    return address;
  }

  private static long millis(Configuration conf, String key, String byDefault, long min) {
    long millis;
    try {
      millis = conf.getTimeDuration(key, byDefault, TimeUnit.MILLISECONDS);
    } catch (NumberFormatException e) {
      throw wrong(key, conf.get(key), "a time, for example 30s", e);
    }
    if (millis < min || millis > DAY_MILLIS) {
      throw wrong(key, conf.get(key), "a time from " + min + "ms to 1d", null);
    }
    return millis;
  }

  private static long bytes(Configuration conf, String key, String byDefault) {
    String value = conf.getTrimmed(key, byDefault);
    long bytes;
    try {
      bytes = TraditionalBinaryPrefix.string2long(value);
    } catch (IllegalArgumentException e) {
      throw wrong(key, value, "a size, for example 10g", e);
    }
    if (bytes < 1) {
      throw wrong(key, value, "a size of 1 or more", null);
    }
    return bytes;
  }

  static int count(Configuration conf, String key, int byDefault) {
    int count;
    try {
      count = conf.getInt(key, byDefault);
    } catch (NumberFormatException e) {
      throw wrong(key, conf.get(key), "a number", e);
    }
    if (count < 1) {
      throw wrong(key, conf.get(key), "1 or more", null);
    }
    return count;
  }

  static IllegalArgumentException wrong(
      String key, @Nullable String value, String allowed, @Nullable Throwable cause) {
    return new IllegalArgumentException(key + " is '" + value + "'; set it to " + allowed, cause);
  }
}
