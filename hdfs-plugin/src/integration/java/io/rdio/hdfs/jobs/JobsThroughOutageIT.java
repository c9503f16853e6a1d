// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.jobs;

import static io.rdio.hdfs.jobs.SparkSubmit.SPARK_4;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.hdfs.it.SeededFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Jobs as people run them, without a right on any device, while all DataNodes of their cluster are
 * killed and stay dead: listed by the NameNode at first, then dropped. None of them fails.
 */
@Tag("loop")
@Tag("alone")
class JobsThroughOutageIT {
  private static final Path SANDBOX =
      Path.of("src/test/resources/io/rdio/hdfs/agent/sandbox.sh").toAbsolutePath();

  @TempDir private Path folder;

  @Test
  void commandsReadOnAndNoTaskOfSparkFails() throws Exception {
    SPARK_4.require();
    try (Outage outage = new Outage()) {
      LongSparkJob job = LongSparkJob.start(SPARK_4, outage.cluster(), outage.conf(), folder);
      job.awaitTable();
      long before = System.currentTimeMillis();
      outage.killDataNodes();
      long behind = System.currentTimeMillis();
      assertCat(outage, outage.large(), outage.small());
      job.check();
      outage.awaitDropped();
      assertCat(outage, outage.small(), outage.large());
      job.check();
      LongSparkJob.Tasks tasks = job.end();
      assertThat(tasks.failed()).isEmpty();
      assertThat(tasks.begun()).anyMatch(time -> time < before);
      assertThat(tasks.begun()).filteredOn(time -> time > behind).hasSizeGreaterThan(20);
    }
  }

  /** {@code hdfs dfs -cat} in a JVM of its own, by user nobody without a device. */
  private void assertCat(Outage outage, SeededFile... files) throws Exception {
    Path out = folder.resolve("out");
    Path errors = Path.of("target", "cat.err");
    ProcessBuilder jvm =
        outage
            .cluster()
            .jvm(
                outage.conf(),
                List.of("-XX:TieredStopAtLevel=1"),
                "org.apache.hadoop.fs.FsShell",
                "-cat");
    List<String> command = new ArrayList<>(List.of("bash", SANDBOX.toString()));
    command.addAll(jvm.command());
    for (SeededFile file : files) {
      command.add(file.path().toString());
    }
    Process process =
        jvm.command(command).redirectOutput(out.toFile()).redirectError(errors.toFile()).start();
    outage.cluster().killLater(process);
    int status = process.waitFor();
    assertThat(Files.readString(errors)).as("what it says besides").isEmpty();
    assertThat(status).isZero();
    byte[] got = Files.readAllBytes(out);
    int at = 0;
    for (SeededFile file : files) {
      int next = at + file.bytes().length;
      file.check(0, Arrays.copyOfRange(got, at, next));
      at = next;
    }
    assertThat(got).hasSize(at);
  }
}
