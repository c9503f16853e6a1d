// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.jobs;

import static io.rdio.hdfs.jobs.SparkSubmit.SPARK_4;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.hdfs.it.SeededFile;
import java.nio.file.Path;
import java.time.Duration;
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
  @TempDir private Path folder;

  @Test
  void commandsReadOnAndNoTaskOfSparkFails() throws Exception {
    SPARK_4.require();
    try (Outage outage = new Outage(2, Duration.ofSeconds(1))) {
      LongSparkJob job = LongSparkJob.start(SPARK_4, outage.cluster(), outage.conf(), folder);
      job.awaitTable();
      long before = System.currentTimeMillis();
      outage.begin(Death.PROCESS);
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

  private void assertCat(Outage outage, SeededFile... files) throws Exception {
    Cat.Run run = new Cat(outage.cluster(), folder).read(Cat.IN_SANDBOX, outage.conf(), files);
    assertThat(run.errors()).as("what it says besides").isEmpty();
  }
}
