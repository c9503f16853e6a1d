// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.jobs;

import static io.rdio.core.testing.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.hdfs.cluster.Cluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A process that does the same again and again, says so in a line of its standard output each time,
 * and ends when there is a file.
 */
final class LongJob {
  /** What such a line begins with. */
  static final String PASS = "PASS ";

  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private final Process process;
  private final Path said;
  private final Path end;
  private final Path errors;

  private LongJob(Process process, Path said, Path end, Path errors) {
    this.process = process;
    this.said = said;
    this.end = end;
    this.errors = errors;
  }

  /**
   * Starts it.
   *
   * @param end the file, in a folder of the job's own
   * @param errors takes its standard error
   */
  static LongJob start(ProcessBuilder builder, Cluster cluster, Path end, Path errors)
      throws IOException {
    Path said = end.resolveSibling("said");
    Process process = builder.redirectError(errors.toFile()).redirectOutput(said.toFile()).start();
    cluster.killLater(process);
    return new LongJob(process, said, end, errors);
  }

  /** The lines that it has said so far with this beginning. */
  List<String> said(String beginning) throws IOException {
    return Files.readAllLines(said).stream().filter(line -> line.startsWith(beginning)).toList();
  }

  /** Returns once it has said so this often. */
  void awaitPasses(int count) {
    await("passes of a job; it says why in " + errors)
        .atMost(PATIENCE)
        .until(() -> said(PASS).size() >= count || !process.isAlive());
    assertThat(process.isAlive()).as("it runs, see " + errors).isTrue();
  }

  /** Returns once it has done all of it from now on, twice. */
  void check() throws IOException {
    awaitPasses(said(PASS).size() + 3); // the first of them may have begun before
  }

  /** Ends it; it has to have succeeded. */
  void end() throws IOException, InterruptedException {
    Files.createFile(end);
    assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).as("its exit status, see " + errors).isZero();
  }
}
