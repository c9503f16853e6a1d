// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.agent;

import io.rdio.agent.ipc.AgentClient;
import io.rdio.agent.ipc.AgentSettings;
import io.rdio.core.FallbackException;
import io.rdio.hdfs.RdioConfigKeys;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.apache.commons.io.file.PathUtils;
import org.apache.hadoop.conf.Configuration;

/**
 * An agent in this JVM, for tests whose clients are in it too: it is there in a moment, and what it
 * counts as a client of DataNodes and devices is in the counters of this JVM.
 */
public final class JvmAgent implements Closeable {
  private final Path folder;
  private final HostAgent agent;

  private JvmAgent(Path folder, HostAgent agent) {
    this.folder = folder;
    this.agent = agent;
  }

  /**
   * Starts it.
   *
   * @param conf of clients; in it, it is the agent that they require from now on
   */
  public static JvmAgent start(Configuration conf) throws IOException {
    Path folder = Files.createTempDirectory("rdio-agent");
    conf.set(RdioConfigKeys.CLIENT_AGENT_SOCKET.name(), folder.resolve("agent.sock").toString());
    conf.set(RdioConfigKeys.CLIENT_AGENT.name(), "required");
    try {
      return new JvmAgent(folder, HostAgent.start(conf));
    } catch (FallbackException e) {
      throw new IOException(e);
    }
  }

  /** Ends it with all its leases returned, and what this JVM's clients have of it. */
  @Override
  public void close() throws IOException {
    client(agent.socket()).close();
    agent.close();
    PathUtils.deleteDirectory(folder);
  }

  /** What this JVM's processes of HDFS use to ask the agent at a socket; made if there is none. */
  static AgentClient client(Path socket) {
    return AgentClient.of(
        new AgentSettings(
            socket.toString(), "test", 4 << 20, TimeUnit.SECONDS.toNanos(10), 1 << 20, 0));
  }
}
