// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.namenode;

import java.time.Duration;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeys;
import org.apache.hadoop.fs.CommonConfigurationKeysPublic;
import org.apache.hadoop.hdfs.client.HdfsClientConfigKeys;

/** Calls to a NameNode that fail soon instead of being retried for minutes. */
public final class ImpatientCalls {
  private ImpatientCalls() {}

  /**
   * A copy for clients whose calls somebody waits for who can do without the answer: a read, since
   * stock HDFS has its locations already, or a person.
   *
   * @param timeout of one call; it is tried at most twice at each NameNode
   */
  public static Configuration configure(Configuration from, Duration timeout) {
    Configuration conf = new Configuration(from);
    int millis = (int) Math.max(1, timeout.toMillis());
    conf.setInt(CommonConfigurationKeys.IPC_CLIENT_RPC_TIMEOUT_KEY, millis);
    conf.setInt(CommonConfigurationKeysPublic.IPC_CLIENT_CONNECT_TIMEOUT_KEY, millis);
    conf.setInt(CommonConfigurationKeysPublic.IPC_CLIENT_CONNECT_MAX_RETRIES_KEY, 0);
    conf.setInt(
        CommonConfigurationKeysPublic.IPC_CLIENT_CONNECT_MAX_RETRIES_ON_SOCKET_TIMEOUTS_KEY, 0);
    conf.setInt(HdfsClientConfigKeys.Failover.CONNECTION_RETRIES_ON_SOCKET_TIMEOUTS_KEY, 0);
    conf.setInt(HdfsClientConfigKeys.Failover.MAX_ATTEMPTS_KEY, 2);
    conf.setInt(HdfsClientConfigKeys.Failover.SLEEPTIME_BASE_KEY, 50);
    conf.setInt(HdfsClientConfigKeys.Failover.SLEEPTIME_MAX_KEY, 200);
    conf.setInt(HdfsClientConfigKeys.Retry.MAX_ATTEMPTS_KEY, 1);
    // Where an administrator has enabled it, it waits eleven minutes for a NameNode without HA.
    conf.setBoolean(HdfsClientConfigKeys.Retry.POLICY_ENABLED_KEY, false);
    return conf;
  }
}
