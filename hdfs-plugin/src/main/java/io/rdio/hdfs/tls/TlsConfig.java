// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.tls;

import io.rdio.core.tls.TlsSettings;
import io.rdio.hdfs.RdioConfigKeys;
import io.rdio.hdfs.TlsConfigKeys;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeysPublic;
import org.jspecify.annotations.Nullable;

/**
 * What the configuration of one side says about TLS on the metadata plane. Where it says 'off', no
 * class of TLS is loaded.
 */
public enum TlsConfig {
  CLIENT(RdioConfigKeys.CLIENT_TLS),
  DATANODE(RdioConfigKeys.DATANODE_TLS);

  @SuppressWarnings("ImmutableEnumChecker") // keys only, which are
  private final TlsConfigKeys keys;

  TlsConfig(TlsConfigKeys keys) {
    this.keys = keys;
  }

  /** Whether it is on, or tries to be. Costs one look at a key. */
  public boolean isOn(Configuration conf) {
    return !keys.mode().written(conf).equalsIgnoreCase(TlsConfigKeys.OFF);
  }

  /** Whether it is off although the cluster is Kerberized, without a key that says so. */
  public boolean isMissing(Configuration conf) {
    return !isOn(conf)
        && "kerberos"
            .equalsIgnoreCase(
                conf.getTrimmed(CommonConfigurationKeysPublic.HADOOP_SECURITY_AUTHENTICATION))
        && !keys.allowPlaintext().get(conf);
  }

  /** What {@link #isMissing} means, with what to do. */
  public String missing() {
    return keys.mode()
        + " is off in a Kerberized cluster ("
        + CommonConfigurationKeysPublic.HADOOP_SECURITY_AUTHENTICATION
        + "=kerberos); set it to on or mutual, or "
        + keys.allowPlaintext()
        + " to true";
  }

  /**
   * Reads the settings, and Hadoop's own SSL configuration where no PEM file is named.
   *
   * @return null where TLS is off
   * @throws IllegalArgumentException that names the key, its value and what is allowed
   */
  public @Nullable TlsSettings settings(Configuration conf) {
    return isOn(conf) ? TlsKeys.read(conf, keys, this == DATANODE) : null;
  }
}
