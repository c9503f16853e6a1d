// SPDX-License-Identifier: Apache-2.0
package io.rdio.upstream;

import io.rdio.core.FallbackException;
import io.rdio.hdfs.RdioConfigKeys;
import io.rdio.hdfs.agent.HostAgent;
import io.rdio.hdfs.client.direct.RdioClientContext;
import java.io.IOException;
import java.util.HashSet;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeysPublic;
import org.apache.hadoop.hdfs.HdfsConfiguration;

/**
 * An agent in this JVM for the clients of all clusters that a test starts, one after the other. It
 * ends with the JVM. Thread-safe.
 *
 * <p>Clients ask it from their first read on, by what the site file says; until it knows their
 * NameNode it refuses them.
 */
final class Agents {
  private static final Set<String> NAME_NODES = new HashSet<>();

  private Agents() {}

  /** Starts the agent. */
  static void start() throws IOException {
    try {
      HostAgent.start(asAgent(new HdfsConfiguration()));
    } catch (FallbackException e) {
      throw new IllegalStateException("no agent", e);
    }
  }

  /** Has the agent know the NameNode of a configuration whose clients ask it. */
  static synchronized void know(Configuration conf) {
    boolean asked = conf.get(RdioConfigKeys.CLIENT_AGENT.name(), "").equals("required");
    if (!asked || !NAME_NODES.add(conf.get(CommonConfigurationKeysPublic.FS_DEFAULT_NAME_KEY))) {
      return;
    }
    try {
      RdioClientContext.ofAgent(asAgent(conf)).requireUsable();
    } catch (FallbackException e) {
      throw new IllegalStateException("no agent for " + conf, e);
    }
  }

  private static Configuration asAgent(Configuration conf) {
    Configuration own = new Configuration(conf);
    own.set(RdioConfigKeys.CLIENT_AGENT.name(), "off");
    return own;
  }
}
