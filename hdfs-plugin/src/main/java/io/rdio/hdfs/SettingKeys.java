// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs;

import io.rdio.core.Setting;
import io.rdio.core.SettingNames;
import java.util.EnumMap;
import java.util.Map;
import org.apache.hadoop.fs.CommonConfigurationKeysPublic;
import org.apache.hadoop.hdfs.client.HdfsClientConfigKeys;

/** The configuration keys of the settings that messages speak of. Found as a service. */
public final class SettingKeys implements SettingNames {
  // Hadoop's, whose class of them is in its server only.
  private static final String DATANODE_PLUGINS_KEY = "dfs.datanode.plugins";

  private static final Map<Setting, String> KEYS = new EnumMap<>(Setting.class);

  static {
    putClientKeys();
    putDataNodeKeys();
    putHadoopKeys();
  }

  /** As the service loader calls it. */
  public SettingKeys() {}

  private static void putClientKeys() {
    KEYS.put(Setting.ENABLED, RdioConfigKeys.CLIENT_ENABLED.name());
    KEYS.put(Setting.ROUTING, RdioConfigKeys.CLIENT_ROUTING.name());
    KEYS.put(Setting.DEVICE_AFTER, RdioConfigKeys.CLIENT_DEVICE_AFTER.name());
    KEYS.put(Setting.DEVICES, RdioConfigKeys.CLIENT_DEVICES.name());
    KEYS.put(Setting.READ_TIMEOUT, RdioConfigKeys.CLIENT_READ_TIMEOUT.name());
    KEYS.put(Setting.WRITE_TIMEOUT, RdioConfigKeys.CLIENT_WRITE_TIMEOUT.name());
    KEYS.put(Setting.WRITE_PARITY_MEMORY, RdioConfigKeys.CLIENT_WRITE_PARITY_MEMORY.name());
    KEYS.put(Setting.READ_WINDOW, RdioConfigKeys.CLIENT_READ_WINDOW.name());
    KEYS.put(Setting.BUFFER_MEMORY, RdioConfigKeys.CLIENT_BUFFER_MEMORY_MAX.name());
    KEYS.put(Setting.DATA_CACHE, RdioConfigKeys.CLIENT_DATA_CACHE.name());
    KEYS.put(Setting.LEASE_MARGIN, RdioConfigKeys.CLIENT_LEASE_MARGIN.name());
    KEYS.put(Setting.CLIENT_TLS, RdioConfigKeys.CLIENT_TLS.mode().name());
    KEYS.put(Setting.CLIENT_ALLOW_PLAINTEXT, RdioConfigKeys.CLIENT_TLS.allowPlaintext().name());
    KEYS.put(Setting.CLIENT_ALLOW_UNENCRYPTED, RdioConfigKeys.CLIENT_ALLOW_UNENCRYPTED.name());
    KEYS.put(Setting.AGENT_SOCKET, RdioConfigKeys.CLIENT_AGENT_SOCKET.name());
    KEYS.put(Setting.AGENT_WRITE, RdioConfigKeys.CLIENT_AGENT_WRITE.name());
  }

  private static void putDataNodeKeys() {
    KEYS.put(Setting.DATANODE_ADDRESS, RdioConfigKeys.DATANODE_ADDRESS.name());
    KEYS.put(Setting.DATANODE_TLS, RdioConfigKeys.DATANODE_TLS.mode().name());
    KEYS.put(Setting.DATANODE_ALLOW_UNENCRYPTED, RdioConfigKeys.DATANODE_ALLOW_UNENCRYPTED.name());
    KEYS.put(Setting.FENCE, RdioConfigKeys.DATANODE_FENCE.name());
    KEYS.put(Setting.WRITE_IO_TIME_MAX, RdioConfigKeys.DATANODE_WRITE_IO_TIME_MAX.name());
    KEYS.put(Setting.PINS_MAX, RdioConfigKeys.DATANODE_PINS_MAX.name());
    KEYS.put(
        Setting.PINNED_DELETED_BYTES_MAX, RdioConfigKeys.DATANODE_PINNED_DELETED_BYTES_MAX.name());
    KEYS.put(Setting.LEASES_MAX, RdioConfigKeys.DATANODE_LEASES_MAX.name());
    KEYS.put(Setting.LEASES_MEMORY_MAX, RdioConfigKeys.DATANODE_LEASES_MEMORY_MAX.name());
    KEYS.put(Setting.LEASES_PER_ADDRESS_MAX, RdioConfigKeys.DATANODE_LEASES_PER_ADDRESS_MAX.name());
    KEYS.put(
        Setting.PINNED_BYTES_PER_ADDRESS_MAX,
        RdioConfigKeys.DATANODE_PINNED_BYTES_PER_ADDRESS_MAX.name());
    KEYS.put(Setting.LIST_LEASES_FROM, RdioConfigKeys.DATANODE_LIST_LEASES_FROM.name());
  }

  private static void putHadoopKeys() {
    KEYS.put(Setting.CHECKSUM_TYPE, HdfsClientConfigKeys.DFS_CHECKSUM_TYPE_KEY);
    KEYS.put(Setting.DEFAULT_FILE_SYSTEM, CommonConfigurationKeysPublic.FS_DEFAULT_NAME_KEY);
    KEYS.put(Setting.NAME_SERVICES, HdfsClientConfigKeys.DFS_NAMESERVICES);
    KEYS.put(
        Setting.FAILOVER_PROXY_PROVIDER, HdfsClientConfigKeys.Failover.PROXY_PROVIDER_KEY_PREFIX);
    KEYS.put(Setting.DATANODE_PLUGINS, DATANODE_PLUGINS_KEY);
  }

  @Override
  public String nameOf(Setting setting) {
    String key = KEYS.get(setting);
    if (key == null) { // SettingKeysTest sees to it that none is forgotten
      throw new IllegalArgumentException(setting.name() + " has no key in SettingKeys");
    }
    return key;
  }
}
