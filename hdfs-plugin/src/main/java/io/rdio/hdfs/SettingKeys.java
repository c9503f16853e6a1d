// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs;

import io.rdio.core.Setting;
import io.rdio.core.SettingNames;
import org.apache.hadoop.fs.CommonConfigurationKeysPublic;
import org.apache.hadoop.hdfs.client.HdfsClientConfigKeys;

/** The configuration keys of the settings that messages speak of. Found as a service. */
public final class SettingKeys implements SettingNames {
  // Hadoop's, whose class of them is in its server only.
  private static final String DATANODE_PLUGINS_KEY = "dfs.datanode.plugins";

  /** As the service loader calls it. */
  public SettingKeys() {}

  @Override
  public String nameOf(Setting setting) {
    switch (setting) { // without a default, so that nobody forgets a new one
      case ENABLED:
        return RdioConfigKeys.CLIENT_ENABLED.name();
      case ROUTING:
        return RdioConfigKeys.CLIENT_ROUTING.name();
      case DEVICES:
        return RdioConfigKeys.CLIENT_DEVICES.name();
      case READ_TIMEOUT:
        return RdioConfigKeys.CLIENT_READ_TIMEOUT.name();
      case READ_WINDOW:
        return RdioConfigKeys.CLIENT_READ_WINDOW.name();
      case BUFFER_MEMORY:
        return RdioConfigKeys.CLIENT_BUFFER_MEMORY_MAX.name();
      case DATA_CACHE:
        return RdioConfigKeys.CLIENT_DATA_CACHE.name();
      case LEASE_MARGIN:
        return RdioConfigKeys.CLIENT_LEASE_MARGIN.name();
      case CLIENT_TLS:
        return RdioConfigKeys.CLIENT_TLS.mode().name();
      case CLIENT_ALLOW_PLAINTEXT:
        return RdioConfigKeys.CLIENT_TLS.allowPlaintext().name();
      case CLIENT_ALLOW_UNENCRYPTED:
        return RdioConfigKeys.CLIENT_ALLOW_UNENCRYPTED.name();
      case AGENT_SOCKET:
        return RdioConfigKeys.CLIENT_AGENT_SOCKET.name();
      case CHECKSUM_TYPE:
        return HdfsClientConfigKeys.DFS_CHECKSUM_TYPE_KEY;
      case DEFAULT_FILE_SYSTEM:
        return CommonConfigurationKeysPublic.FS_DEFAULT_NAME_KEY;
      case NAME_SERVICES:
        return HdfsClientConfigKeys.DFS_NAMESERVICES;
      case FAILOVER_PROXY_PROVIDER:
        return HdfsClientConfigKeys.Failover.PROXY_PROVIDER_KEY_PREFIX;
      case DATANODE_PLUGINS:
        return DATANODE_PLUGINS_KEY;
      case DATANODE_ADDRESS:
        return RdioConfigKeys.DATANODE_ADDRESS.name();
      case DATANODE_TLS:
        return RdioConfigKeys.DATANODE_TLS.mode().name();
      case DATANODE_ALLOW_UNENCRYPTED:
        return RdioConfigKeys.DATANODE_ALLOW_UNENCRYPTED.name();
      case PINS_MAX:
        return RdioConfigKeys.DATANODE_PINS_MAX.name();
      case PINNED_DELETED_BYTES_MAX:
        return RdioConfigKeys.DATANODE_PINNED_DELETED_BYTES_MAX.name();
      case LEASES_MAX:
        return RdioConfigKeys.DATANODE_LEASES_MAX.name();
      case LEASES_MEMORY_MAX:
        return RdioConfigKeys.DATANODE_LEASES_MEMORY_MAX.name();
      case LEASES_PER_ADDRESS_MAX:
        return RdioConfigKeys.DATANODE_LEASES_PER_ADDRESS_MAX.name();
      case PINNED_BYTES_PER_ADDRESS_MAX:
        return RdioConfigKeys.DATANODE_PINNED_BYTES_PER_ADDRESS_MAX.name();
      case LIST_LEASES_FROM:
        return RdioConfigKeys.DATANODE_LIST_LEASES_FROM.name();
    }
    throw new IllegalArgumentException(setting.name());
  }
}
