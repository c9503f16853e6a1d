// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cli;

import io.rdio.agent.daemon.ServiceManager;
import io.rdio.core.FallbackException;
import io.rdio.hdfs.agent.AgentLogin;
import io.rdio.hdfs.agent.HostAgent;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.Callable;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code rdio agent}: the agent of this host, until it is ended. */
@Command(
    name = "agent",
    mixinStandardHelpOptions = true,
    description = {
      "Reads devices for all processes of this host, which need no right on them: it holds the"
          + " devices, the leases and the file maps, and reads into memory that a process shares"
          + " with it. Processes find it by dfs.client.rdio.agent.socket. Until it is ended.",
      "Needs read access to the devices, and a user of HDFS that is a superuser: one that may read"
          + " all files, and verify block tokens. Everything else is in Hadoop's configuration.",
      "Tells systemd when it serves, and that it is alive, if systemd asks for that.",
      "Exit status: 0 when it was ended by a signal, 1 if it could not begin."
    })
final class AgentCommand implements Callable<Integer> {
  @Mixin private AgentRun run = new AgentRun();

  @Override
  public Integer call() throws IOException, InterruptedException {
    run.check();
    run.run(AgentCommand::start);
    return 0;
  }

  private static AgentRun.Agent start() throws IOException {
    try {
      Configuration conf = new HdfsConfiguration();
      AgentLogin.login(conf);
      return Running.of(HostAgent.start(conf));
    } catch (FallbackException e) {
      throw new IOException(Failures.text((Exception) e), e);
    }
  }

  private record Running(HostAgent agent, ServiceManager manager) implements AgentRun.Agent {
    static Running of(HostAgent agent) {
      ServiceManager manager = ServiceManager.of(System.getenv(), ProcessHandle.current().pid());
      manager.ready("listens at " + agent.socket(), agent::requireAnswering);
      return new Running(agent, manager);
    }

    @Override
    public String announcement() {
      return "The agent of this host listens at "
          + agent.socket()
          + "; it reads by "
          + (agent.isByUring() ? "io_uring" : "io_submit, for there is no io_uring here")
          + (agent.isWriting() ? "; it writes, too" : "");
    }

    @Override
    public String text() {
      return "Agent: " + AgentRun.pairs(values());
    }

    @Override
    public Map<String, Long> values() {
      return agent.figures();
    }

    @Override
    public void close() {
      manager.stopping();
      agent.close();
    }
  }
}
