// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.util.JsonSerialization;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * What the commands that run an agent have in common: it runs until a signal ends it, and what it
 * counts is printed now and then and at the end.
 */
final class AgentRun {
  private static final int CLOSE_SECONDS = 5;

  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--report-every",
      paramLabel = "SECONDS",
      description = "how often to print what was counted; 0 for at the end only (default: 60)")
  private long reportSeconds = 60;

  @Option(names = "--json", description = "print it as lines of JSON")
  private boolean json;

  /** An agent that runs, and what is to be said of it. */
  interface Agent extends AutoCloseable {
    /** What it is and does, once, for people. */
    String announcement();

    /** What it counted, in one line for people. */
    String text();

    /** What it counted, for programs. */
    Map<String, ?> values();

    @Override
    void close() throws IOException;
  }

  /** Starts an agent. */
  @FunctionalInterface
  interface Start {
    Agent start() throws IOException;
  }

  /** Refuses options that make no sense. */
  void check() throws ParameterException {
    if (reportSeconds < 0) {
      throw new ParameterException(
          spec.commandLine(), "--report-every " + reportSeconds + ": must not be negative");
    }
  }

  /** Returns when a signal has ended this JVM, which waits for the agent to be closed. */
  void run(Start start) throws IOException, InterruptedException {
    PrintWriter out = spec.commandLine().getOut();
    CountDownLatch ended = new CountDownLatch(1);
    CountDownLatch closed = new CountDownLatch(1);
    Runtime.getRuntime().addShutdownHook(new Thread(() -> end(ended, closed)));
    try (Agent agent = start.start()) {
      if (!json) {
        out.println(agent.announcement());
        out.flush();
      }
      while (!ended.await(reportSeconds == 0 ? 3600 : reportSeconds, TimeUnit.SECONDS)) {
        if (reportSeconds > 0) {
          report(agent, out);
        }
      }
      report(agent, out);
    } finally {
      closed.countDown();
    }
  }

  private void report(Agent agent, PrintWriter out) throws IOException {
    // Hadoop's writer breaks lines; those within texts are escaped.
    out.println(
        json
            ? new JsonSerialization<>(Map.class, false, true)
                .toJson(agent.values())
                .replaceAll("\n *", "")
            : agent.text());
    out.flush();
  }

  /** Counts as people read them: {@code a=1 b=2}. */
  static String pairs(Map<String, Long> counts) {
    StringBuilder text = new StringBuilder();
    counts.forEach(
        (name, count) ->
            text.append(
                String.format(Locale.ROOT, "%s%s=%d", text.isEmpty() ? "" : " ", name, count)));
    return text.toString();
  }

  /** The JVM ends when its hooks have: not before the kernel is rid of us. */
  private static void end(CountDownLatch ended, CountDownLatch closed) {
    ended.countDown();
    try {
      closed.await(CLOSE_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
