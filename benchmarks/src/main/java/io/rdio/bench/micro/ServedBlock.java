// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.micro;

import io.rdio.core.FallbackException;
import io.rdio.hdfs.RdioConfigKeys;
import io.rdio.hdfs.agent.HostAgent;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/**
 * A block that is read by the agent of the host. The agent runs in this very JVM, so that JMH's gc
 * profiler sees the garbage of both ends of the socket.
 */
@State(Scope.Benchmark)
@SuppressWarnings("NullAway.Init") // JMH calls open() first.
public class ServedBlock extends WarmBlock {
  private HostAgent agent;
  private Path folder;

  @Override
  Configuration configuration() throws IOException {
    folder = Files.createTempDirectory("rdio-micro-");
    Configuration conf = super.configuration();
    conf.set(RdioConfigKeys.CLIENT_AGENT_SOCKET.name(), folder.resolve("agent.sock").toString());
    Configuration own = new Configuration(conf);
    // Its context is not to be the one of the client, which closes that first: so their settings
    // differ, in one of which an agent only asks whether it is 0.
    own.setInt(RdioConfigKeys.CLIENT_FIRST_BYTES.name(), 1);
    try {
      agent = HostAgent.start(own);
    } catch (FallbackException e) {
      throw new IOException("no agent can serve here: " + e.getMessage(), e);
    }
    conf.set(RdioConfigKeys.CLIENT_AGENT.name(), "required");
    return conf;
  }

  /** Ends the agent, too. JMH calls it as what it overrides: with its own annotation, twice. */
  @Override
  public void close() throws IOException {
    super.close();
    agent.close();
    Files.delete(folder);
  }
}
