// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.hdfs.fault.SteppedClient.Kind;
import io.rdio.hdfs.fault.SteppedRun.Kill;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Runs of one sort, one after the other, in each of which somebody is killed, and looks at what is
 * left of their files. At which steps that can be, a run tells in which nobody is.
 */
final class SteppedKills {
  /** After so many runs their files are looked at. */
  private static final int BATCH = 16;

  /** A busy machine may not write all by the agent at first. */
  private static final int TRIES = 5;

  private final Start start;
  private final SteppedFiles files;

  /** Starts the next run; the one before may still be under way. */
  @FunctionalInterface
  interface Start {
    SteppedRun next() throws IOException;
  }

  SteppedKills(Start start, SteppedFiles files) {
    this.start = start;
    this.files = files;
  }

  /** Each of a process's steps, with each victim. */
  static List<Kill> atEach(String held, int steps, List<String> victims) {
    return IntStream.range(0, steps)
        .boxed()
        .flatMap(step -> victims.stream().map(victim -> new Kill(held, step, victim)))
        .toList();
  }

  /** A run in which nobody is killed, and all is written by the agent that can be. */
  SteppedRun undisturbed() throws Exception {
    for (int i = 0; i < TRIES; i++) {
      SteppedRun run = start.next();
      run.toEnd();
      files.checkAndDelete(List.of(run));
      long bytes = run.kinds().stream().mapToLong(kind -> kind.byAgent(run.shape())).sum();
      if (run.bytesByAgent() == bytes) {
        assertThat(run.promised().keySet())
            .isEqualTo(
                run.kinds().stream()
                    .filter(kind -> kind != Kind.GIVEN_UP)
                    .collect(Collectors.toSet()));
        return run;
      }
    }
    throw new AssertionError("not all is written by the agent: see target/stepped.err");
  }

  /**
   * Has somebody killed in each of as many runs, few of which may be over before, and says how many
   * that were, and how long it took.
   *
   * @param kills at least one
   * @param there kills that there are, of which these were chosen
   */
  void endAtEach(List<Kill> kills, int there) throws Exception {
    long begun = System.nanoTime();
    int late = 0;
    List<SteppedRun> ended = new ArrayList<>();
    SteppedRun next = start.next();
    for (int i = 1; i <= kills.size(); i++) {
      SteppedRun run = next;
      Kill kill = kills.get(i - 1);
      String at = run.kill(kill);
      boolean isLast = i == kills.size();
      if (!isLast) {
        next = start.next(); // its JVM starts while the run comes to its end, and is looked at
      }
      run.end();
      System.out.println(run.folder() + ", " + run.shape() + ", " + kill + ": " + at);
      late += at == null ? 1 : 0;
      ended.add(run);
      if (isLast || ended.size() == BATCH) {
        files.checkAndDelete(ended);
        ended.clear();
      }
    }
    System.out.printf(
        "%d kills of %d, and %d runs that were over before, in %d s%n",
        kills.size() - late, there, late, Duration.ofNanos(System.nanoTime() - begun).toSeconds());
    assertThat(late).as("runs that were over before the step").isLessThan(1 + kills.size() / 2);
  }
}
