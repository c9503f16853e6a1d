// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.agent;

import io.rdio.hdfs.ConfigKey;
import io.rdio.hdfs.RdioConfigKeys;
import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.SecurityUtil;
import org.apache.hadoop.security.UserGroupInformation;

/** As whom the process of an agent asks NameNodes where the cluster is Kerberized. */
public final class AgentLogin {
  private AgentLogin() {}

  /**
   * Logs this process in from the agent's keytab, if the configuration names one; else it is
   * whoever its ticket cache says. Hadoop's RPC renews the ticket. Without Kerberos nothing is
   * done.
   *
   * @throws IOException that names the keys, if only one of them is set, or the login fails
   */
  public static void login(Configuration conf) throws IOException {
    UserGroupInformation.setConfiguration(conf);
    ConfigKey<String> keytab = RdioConfigKeys.AGENT_KEYTAB_FILE;
    ConfigKey<String> principal = RdioConfigKeys.AGENT_KERBEROS_PRINCIPAL;
    boolean asked = keytab.isSet(conf) || principal.isSet(conf);
    if (!asked || !UserGroupInformation.isSecurityEnabled()) {
      return;
    }
    requireSet(conf, keytab, principal);
    requireSet(conf, principal, keytab);
    try {
      SecurityUtil.login(conf, keytab.name(), principal.name());
    } catch (IOException e) {
      throw new IOException(
          "cannot log in as "
              + principal
              + "="
              + principal.get(conf)
              + " from "
              + keytab
              + "="
              + keytab.get(conf)
              + "; see 'klist -kt' of that file: "
              + e.getMessage(),
          e);
    }
  }

  private static void requireSet(
      Configuration conf, ConfigKey<String> key, ConfigKey<String> goingWith) throws IOException {
    if (!key.isSet(conf)) {
      throw new IOException(
          goingWith + " is " + goingWith.get(conf) + ", but " + key + " is not set; set both");
    }
  }
}
