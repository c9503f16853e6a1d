// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs;

import io.rdio.core.tls.TlsSettings;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeysPublic;
import org.jspecify.annotations.Nullable;

/**
 * What the configuration of one side says about TLS on the metadata plane. Where it says 'off', no
 * class of TLS is loaded.
 */
public enum TlsConfig {
  CLIENT(RdioConfigKeys.CLIENT_PREFIX),
  DATANODE(RdioConfigKeys.DATANODE_PREFIX);

  private final String prefix;

  TlsConfig(String prefix) {
    this.prefix = prefix;
  }

  /** Whether it is on, or tries to be. Costs one look at a key. */
  public boolean isOn(Configuration conf) {
    return !RdioConfigKeys.CLIENT_TLS_DEFAULT.equalsIgnoreCase(
        conf.getTrimmed(prefix + "tls", RdioConfigKeys.CLIENT_TLS_DEFAULT));
  }

  /** Whether it is off although the cluster is Kerberized, without a key that says so. */
  public boolean isMissing(Configuration conf) {
    return !isOn(conf)
        && "kerberos"
            .equalsIgnoreCase(
                conf.getTrimmed(CommonConfigurationKeysPublic.HADOOP_SECURITY_AUTHENTICATION))
        && !conf.getBoolean(prefix + "allow.plaintext", false);
  }

  /** What {@link #isMissing} means, with what to do. */
  public String missing() {
    return prefix
        + "tls is off in a Kerberized cluster ("
        + CommonConfigurationKeysPublic.HADOOP_SECURITY_AUTHENTICATION
        + "=kerberos); set it to on or mutual, or "
        + prefix
        + "allow.plaintext to true";
  }

  /**
   * Reads the settings, and Hadoop's own SSL configuration where no PEM file is named.
   *
   * @return null where TLS is off
   * @throws IllegalArgumentException that names the key, its value and what is allowed
   */
  public @Nullable TlsSettings settings(Configuration conf) {
    return isOn(conf) ? TlsKeys.read(conf, prefix, this == DATANODE) : null;
  }
}
