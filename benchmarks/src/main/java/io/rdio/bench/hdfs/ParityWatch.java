// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.hdfs;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.jspecify.annotations.Nullable;

/**
 * When one pass that writes has its parity. The agent has it all written first, and is asked; then
 * the NameNode. Of files with replicas it knows nothing. For one thread.
 */
final class ParityWatch {
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final Duration PAUSE = Duration.ofMillis(10);
  private static final double NANOS_PER_SECOND = 1e9;

  private final @Nullable CodedFiles coded;

  /** Before the pass; null where the agent has no part in it. */
  private final @Nullable AgentFigures before;

  private @Nullable AgentFigures behind;
  private long endNanos;
  private double agentSeconds;

  private ParityWatch(@Nullable CodedFiles coded, @Nullable AgentFigures before) {
    this.coded = coded;
    this.before = before;
  }

  /**
   * Before a pass.
   *
   * @param coded null where files have replicas
   */
  static ParityWatch begin(@Nullable CodedFiles coded, Way way) throws IOException {
    return new ParityWatch(coded, coded != null && way.isByAgent() ? coded.agent() : null);
  }

  /** At the end of a pass: waits until the agent has written all parity. */
  void awaitAgent() throws IOException {
    endNanos = System.nanoTime();
    CodedFiles files = coded;
    if (files == null || before == null) {
      return;
    }
    AgentFigures now = files.agent();
    for (long groups = without(now); groups > 0; groups = without(now)) {
      pause(groups + " groups are without parity");
      now = files.agent();
    }
    behind = now;
    agentSeconds = secondsSinceEnd();
  }

  private static long without(AgentFigures agent) throws IOException {
    return agent.get("groups_without_parity");
  }

  /**
   * Behind {@link #awaitAgent}: waits until the NameNode knows of all blocks.
   *
   * @param names of the files of the pass
   * @throws IOException also if parity was given up
   */
  ParityLag awaitNameNode(List<String> names) throws IOException {
    CodedFiles files = coded;
    if (files == null) {
      return ParityLag.NONE;
    }
    AgentFigures first = before;
    AgentFigures last = behind;
    ParityLag lag =
        first == null || last == null ? ParityLag.NONE : ParityLag.of(first, last, agentSeconds);
    try (DistributedFileSystem fs = files.fileSystem()) {
      for (String name : names) {
        Optional<String> lack = files.lack(fs, name);
        while (lack.isPresent()) {
          pause(lack.get());
          lack = files.lack(fs, name);
        }
      }
    }
    return lag.knownAfter(secondsSinceEnd());
  }

  private double secondsSinceEnd() {
    return (System.nanoTime() - endNanos) / NANOS_PER_SECOND;
  }

  private void pause(String what) throws IOException {
    if (System.nanoTime() - endNanos > PATIENCE.toNanos()) {
      throw new IOException(
          "parity is not all there " + PATIENCE.toMinutes() + " minutes behind a pass: " + what);
    }
    LockSupport.parkNanos(PAUSE.toNanos());
  }
}
