// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.fault;

import static org.awaitility.Awaitility.await;

import io.rdio.hdfs.agent.AgentProcess;
import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.fault.SteppedClient.Kind;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A {@link SteppedClient} from its start to its end, in whose midst a process may be killed: itself
 * or its agent, while one of the two is held at a step. For one thread.
 */
final class SteppedRun {
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final Duration LOOK = Duration.ofMillis(5);
  private static final Pattern LINE =
      Pattern.compile(SteppedClient.MARK + "([A-Z]+) ([A-Z_]+) ([0-9]+) ([0-9]+) \\.");

  private final Parts parts;
  private final String folder;
  private final Set<Kind> kinds;
  private final Path output;
  private final Process client;

  /** Of the agent, when this begins. */
  private int agentSteps;

  /** Who takes part; the clients' folder is one for HADOOP_CONF_DIR. */
  record Parts(Cluster cluster, Steps steps, AgentProcess agent, Path clientConf) {}

  /**
   * Which process is killed, and when.
   *
   * @param held the process that is held at the step
   * @param step counted from where its part of the run begins
   * @param victim the process that is killed then
   */
  record Kill(String held, int step, String victim) {}

  /**
   * Starts it; it does not begin yet.
   *
   * @param folder for its files, of nobody else's
   */
  SteppedRun(Parts parts, String folder, int replication, Set<Kind> kinds) throws IOException {
    this.parts = parts;
    this.folder = folder;
    this.kinds = EnumSet.copyOf(kinds);
    this.output = parts.cluster().folder().resolve(folder.substring(1) + ".out");
    parts.steps().hold(SteppedClient.READY);
    client =
        parts
            .cluster()
            .jvm(
                parts.clientConf(),
                List.of("-Xmx256m"),
                SteppedClient.class.getName(),
                folder,
                Integer.toString(replication),
                this.kinds.stream().map(Kind::name).collect(Collectors.joining(",")))
            .redirectError(ProcessBuilder.Redirect.appendTo(new File("target", "stepped.err")))
            .redirectOutput(output.toFile())
            .start();
    parts.cluster().killLater(client);
  }

  /** Where its files are. */
  String folder() {
    return folder;
  }

  /** What files it writes. */
  Set<Kind> kinds() {
    return kinds;
  }

  private void begin() throws IOException {
    if (!parts.agent().isAlive()) {
      parts.agent().restart();
    }
    parts.steps().awaitReached(SteppedClient.READY);
    agentSteps = passed(SteppedAgent.PROCESS).size();
  }

  private List<String> passed(String process) throws IOException {
    return CountedSteps.passed(parts.steps(), process);
  }

  /** Lets it come to its end with nobody killed. */
  void toEnd() throws IOException, InterruptedException {
    begin();
    parts.steps().release(SteppedClient.READY);
    awaitEnd();
  }

  /**
   * Kills a process in its midst, and lets it come to its end.
   *
   * @return at which step that was; null if all was over before
   */
  String with(Kill kill) throws IOException, InterruptedException {
    begin();
    int n = kill.step() + (kill.held().equals(SteppedAgent.PROCESS) ? agentSteps : 0);
    String step = CountedSteps.name(kill.held(), n);
    parts.steps().hold(step);
    parts.steps().release(SteppedClient.READY);
    await(step)
        .atMost(PATIENCE)
        .pollInterval(LOOK)
        .until(() -> parts.steps().isReached(step) || !client.isAlive());
    String at = parts.steps().isReached(step) ? passed(kill.held()).get(n) : null;
    if (kill.victim().equals(SteppedAgent.PROCESS)) {
      parts.agent().kill();
    } else {
      client.destroyForcibly().onExit().join();
    }
    parts.steps().release(step);
    awaitEnd();
    return at;
  }

  private void awaitEnd() throws InterruptedException {
    if (!client.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
      client.destroyForcibly();
      throw new AssertionError("the client of " + folder + " does not end; see target/stepped.err");
    }
  }

  /** Steps of a process in this run, from its begin on; it has ended. */
  int steps(String process) throws IOException {
    int all = passed(process).size();
    return process.equals(SteppedAgent.PROCESS) ? all - agentSteps : all;
  }

  /** Bytes that it was told are there for good, of files of which it was told anything. */
  Map<Kind, Integer> promised() throws IOException {
    Map<Kind, Integer> promised = new EnumMap<>(Kind.class);
    for (Matcher said : said("PROMISED")) {
      promised.put(Kind.valueOf(said.group(2)), Integer.valueOf(said.group(3)));
    }
    return promised;
  }

  /** Bytes that the agent wrote and DataNodes committed, if it came to its end; else 0. */
  long bytesByAgent() throws IOException {
    return said("ENDED").stream().mapToLong(said -> Long.parseLong(said.group(4))).sum();
  }

  private List<Matcher> said(String what) throws IOException {
    return Files.readAllLines(output).stream()
        .map(LINE::matcher)
        .filter(line -> line.matches() && line.group(1).equals(what))
        .toList();
  }
}
