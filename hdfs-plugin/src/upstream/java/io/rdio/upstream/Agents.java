// SPDX-License-Identifier: Apache-2.0
package io.rdio.upstream;

import io.rdio.core.FallbackException;
import io.rdio.hdfs.RdioConfigKeys;
import io.rdio.hdfs.agent.HostAgent;
import io.rdio.hdfs.client.direct.RdioClientContext;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeysPublic;

/**
 * An agent in this JVM for the clients of all clusters that a test starts, one after the other. It
 * ends with the JVM. Thread-safe.
 */
final class Agents {
  /** Of a site whose clients ask an agent. */
  private static final String WANTED = "io.rdio.upstream.agent";

  private static final Set<String> NAME_NODES = new HashSet<>();
  private static Path socket;

  private Agents() {}

  /** Has clients of a configuration ask the agent, and nobody else. */
  static synchronized void askIn(Configuration conf) {
    if (!conf.getBoolean(WANTED, false)) {
      return;
    }
    try {
      Path listens = socket;
      if (listens == null) {
        listens = Files.createTempDirectory("agent").resolve("agent.sock");
        HostAgent.start(asAgent(conf, listens));
        socket = listens;
      }
      if (NAME_NODES.add(conf.get(CommonConfigurationKeysPublic.FS_DEFAULT_NAME_KEY))) {
        RdioClientContext.ofAgent(asAgent(conf, listens)).requireUsable(); // it knows that one now
      }
      conf.set(RdioConfigKeys.CLIENT_AGENT_SOCKET.name(), listens.toString());
      conf.set(RdioConfigKeys.CLIENT_AGENT.name(), "required");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (FallbackException e) {
      throw new IllegalStateException("no agent for " + conf, e);
    }
  }

  private static Configuration asAgent(Configuration conf, Path listens) {
    Configuration own = new Configuration(conf);
    own.set(RdioConfigKeys.CLIENT_AGENT_SOCKET.name(), listens.toString());
    own.set(RdioConfigKeys.CLIENT_AGENT.name(), "off");
    return own;
  }
}
