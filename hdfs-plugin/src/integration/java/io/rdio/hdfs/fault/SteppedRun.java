// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.fault;

import static org.awaitility.Awaitility.await;

import io.rdio.core.FallbackException;
import io.rdio.hdfs.agent.AgentProcess;
import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.cluster.HadoopDaemon;
import io.rdio.hdfs.cluster.ProcessEnd;
import io.rdio.hdfs.fault.SteppedClient.Kind;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A {@link SteppedClient} from its start to its end, in whose midst a process may be killed, while
 * one is held at a step: itself, its agent, or a DataNode. Deferred parity is behind its end, and
 * before the next one begins; but the next one's JVM may start before that, which is most of what a
 * run takes. For one thread.
 */
final class SteppedRun {
  private static final Duration PATIENCE = Duration.ofMinutes(3);
  private static final Duration LOOK = Duration.ofMillis(5);
  private static final Duration LOOK_AT_AGENT = Duration.ofMillis(20);
  private static final Pattern LINE =
      Pattern.compile(SteppedClient.MARK + "([A-Z]+) ([A-Z_]+) ([0-9]+) ([0-9]+) \\.");

  private final Parts parts;
  private final String folder;
  private final SteppedShape shape;
  private final Set<Kind> kinds;
  private final Path output;
  private final String ready;
  private final Process client;

  /** Steps of those processes that were there before this began, by their names. */
  private final Map<String, Integer> passedBefore = new HashMap<>();

  /** The DataNode that was killed. */
  private @Nullable HadoopDaemon killed;

  /**
   * Who takes part.
   *
   * @param clientConf a folder for HADOOP_CONF_DIR
   * @param room returns when there is room for a run
   */
  record Parts(Cluster cluster, Steps steps, AgentProcess agent, Path clientConf, Runnable room) {}

  /**
   * Which process is killed, and when.
   *
   * @param held the process that is held at the step
   * @param step counted from where its part of the run begins
   * @param victim the process that is killed then
   */
  record Kill(String held, int step, String victim) {}

  /**
   * Starts it; it does not begin yet, so that another run may be under way.
   *
   * @param folder for its files, of nobody else's
   */
  SteppedRun(Parts parts, String folder, SteppedShape shape, Set<Kind> kinds) throws IOException {
    this.parts = parts;
    this.folder = folder;
    this.shape = shape;
    this.kinds = EnumSet.copyOf(kinds);
    this.output = parts.cluster().folder().resolve(folder.substring(1).replace('/', '-') + ".out");
    this.ready = SteppedClient.ready(folder);
    parts.steps().hold(ready);
    client =
        parts
            .cluster()
            .jvm(parts.clientConf(), List.of("-Xmx256m"), command(folder, shape, this.kinds))
            .redirectError(ProcessBuilder.Redirect.appendTo(new File("target", "stepped.err")))
            .redirectOutput(output.toFile())
            .start();
    parts.cluster().killLater(client);
  }

  private static String[] command(String folder, SteppedShape shape, Set<Kind> kinds) {
    List<String> command = new ArrayList<>(List.of(SteppedClient.class.getName()));
    command.addAll(SteppedClient.arguments(folder, shape, kinds));
    return command.toArray(String[]::new);
  }

  /** Where its files are. */
  String folder() {
    return folder;
  }

  /** How they lie on their blocks. */
  SteppedShape shape() {
    return shape;
  }

  /** What files it writes. */
  Set<Kind> kinds() {
    return kinds;
  }

  private void begin() throws IOException {
    if (!parts.agent().isAlive()) {
      parts.agent().restart();
    }
    parts.room().run();
    await(ready).atMost(PATIENCE).pollInterval(LOOK).until(() -> parts.steps().isReached(ready));
    awaitAgent("the agent's end of what was before");
    passedBefore.put(SteppedAgent.PROCESS, passed(SteppedAgent.PROCESS).size());
    for (int i = 0; i < parts.cluster().dataNodes(); i++) {
      String process = SteppedDataNode.process(parts.cluster().dataNode(i));
      passedBefore.put(process, passed(process).size());
    }
  }

  private void awaitAgent(String what) {
    await(what).atMost(PATIENCE).pollInterval(LOOK_AT_AGENT).until(this::isAgentIdle);
  }

  private List<String> passed(String process) throws IOException {
    return CountedSteps.passed(parts.steps(), process);
  }

  private int passedBefore(String process) {
    return passedBefore.getOrDefault(process, 0);
  }

  /** Whether the agent writes nothing, nor has parity to make; also if there is none. */
  private boolean isAgentIdle() {
    try {
      return parts.agent().figure("open_writes") == 0
          && parts.agent().figure("groups_without_parity") == 0;
    } catch (FallbackException e) {
      return !parts.agent().isAlive();
    }
  }

  private boolean isOver() {
    return !client.isAlive() && isAgentIdle();
  }

  /** Lets it come to its end with nobody killed. */
  void toEnd() throws IOException, InterruptedException {
    begin();
    parts.steps().release(ready);
    end();
    awaitAgent("the agent's end of " + folder);
  }

  /**
   * Kills a process in its midst, and lets it go on; {@link #end} comes next.
   *
   * @return at which step that was; null if all was over before, and nobody killed
   */
  @Nullable String kill(Kill kill) throws IOException {
    begin();
    int n = kill.step() + passedBefore(kill.held());
    String step = CountedSteps.name(kill.held(), n);
    parts.steps().hold(step);
    parts.steps().release(ready);
    await(step)
        .atMost(PATIENCE)
        .pollInterval(LOOK)
        .until(() -> parts.steps().isReached(step) || isOver());
    String at = null;
    if (parts.steps().isReached(step)) {
      at = passed(kill.held()).get(n);
      killed = killProcess(kill.victim());
    }
    parts.steps().release(step);
    return at;
  }

  /** Lets it come to its end. A DataNode that was killed is started again behind that. */
  void end() throws IOException, InterruptedException {
    if (!client.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
      client.destroyForcibly();
      throw new AssertionError("the client of " + folder + " does not end; see target/stepped.err");
    }
    HadoopDaemon dataNode = killed;
    if (dataNode != null) {
      dataNode.start();
    }
  }

  /** Returns the DataNode that it was; null if it was none. */
  private @Nullable HadoopDaemon killProcess(String victim) throws IOException {
    if (victim.equals(SteppedAgent.PROCESS)) {
      parts.agent().kill();
      return null;
    }
    if (victim.equals(SteppedClient.PROCESS)) {
      ProcessEnd.kill(client);
      return null;
    }
    for (int i = 0; i < parts.cluster().dataNodes(); i++) {
      HadoopDaemon dataNode = parts.cluster().dataNode(i);
      if (victim.equals(SteppedDataNode.process(dataNode))) {
        dataNode.kill();
        return dataNode;
      }
    }
    throw new IllegalArgumentException("no process is called " + victim);
  }

  /** Steps of a process in this run, from its begin on; it has ended. */
  int steps(String process) throws IOException {
    return passed(process).size() - passedBefore(process);
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
