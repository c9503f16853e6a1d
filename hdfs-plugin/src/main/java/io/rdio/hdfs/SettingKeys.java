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
    return switch (setting) { // without a default, so that nobody forgets a new one
      case ENABLED -> RdioConfigKeys.CLIENT_ENABLED_KEY;
      case ROUTING -> RdioConfigKeys.CLIENT_ROUTING_KEY;
      case DEVICES -> RdioConfigKeys.CLIENT_DEVICES_KEY;
      case READ_TIMEOUT -> RdioConfigKeys.CLIENT_READ_TIMEOUT_KEY;
      case READ_WINDOW -> RdioConfigKeys.CLIENT_READ_WINDOW_KEY;
      case BUFFER_MEMORY -> RdioConfigKeys.CLIENT_BUFFER_MEMORY_MAX_KEY;
      case DATA_CACHE -> RdioConfigKeys.CLIENT_DATA_CACHE_KEY;
      case LEASE_MARGIN -> RdioConfigKeys.CLIENT_LEASE_MARGIN_KEY;
      case CLIENT_TLS -> RdioConfigKeys.CLIENT_TLS_KEY;
      case CLIENT_ALLOW_PLAINTEXT -> RdioConfigKeys.CLIENT_ALLOW_PLAINTEXT_KEY;
      case CLIENT_ALLOW_UNENCRYPTED -> RdioConfigKeys.CLIENT_ALLOW_UNENCRYPTED_KEY;
      case CHECKSUM_TYPE -> HdfsClientConfigKeys.DFS_CHECKSUM_TYPE_KEY;
      case DEFAULT_FILE_SYSTEM -> CommonConfigurationKeysPublic.FS_DEFAULT_NAME_KEY;
      case NAME_SERVICES -> HdfsClientConfigKeys.DFS_NAMESERVICES;
      case FAILOVER_PROXY_PROVIDER -> HdfsClientConfigKeys.Failover.PROXY_PROVIDER_KEY_PREFIX;
      case DATANODE_PLUGINS -> DATANODE_PLUGINS_KEY;
      case DATANODE_ADDRESS -> RdioConfigKeys.DATANODE_ADDRESS_KEY;
      case DATANODE_TLS -> RdioConfigKeys.DATANODE_TLS_KEY;
      case DATANODE_ALLOW_UNENCRYPTED -> RdioConfigKeys.DATANODE_ALLOW_UNENCRYPTED_KEY;
      case PINS_MAX -> RdioConfigKeys.DATANODE_PINS_MAX_KEY;
      case PINNED_DELETED_BYTES_MAX -> RdioConfigKeys.DATANODE_PINNED_DELETED_BYTES_MAX_KEY;
      case LEASES_MAX -> RdioConfigKeys.DATANODE_LEASES_MAX_KEY;
      case LEASES_MEMORY_MAX -> RdioConfigKeys.DATANODE_LEASES_MEMORY_MAX_KEY;
      case LEASES_PER_ADDRESS_MAX -> RdioConfigKeys.DATANODE_LEASES_PER_ADDRESS_MAX_KEY;
      case PINNED_BYTES_PER_ADDRESS_MAX -> RdioConfigKeys.DATANODE_PINNED_BYTES_PER_ADDRESS_MAX_KEY;
      case LIST_LEASES_FROM -> RdioConfigKeys.DATANODE_LIST_LEASES_FROM_KEY;
    };
  }
}
