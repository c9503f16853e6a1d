// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.cluster.TestClusters;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.hadoop.util.JsonSerialization;

/**
 * An application of Spark that reads a table again and again until it is ended, as Parquet and as
 * CSV, by several tasks each time. Spark's own log of events tells what became of them.
 */
final class LongSparkJob {
  private static final Path JOB =
      Path.of("src/test/resources/io/rdio/hdfs/jobs/spark_outage_job.py").toAbsolutePath();
  private static final Path ERRORS = Path.of("target", "long-spark-job.err");
  private static final int ROWS = 30_000;
  private static final String RDIO = "RDIO ";

  private final Path events;
  private final LongJob job;

  /** What became of its tasks: when each was begun, and those that did not succeed. */
  record Tasks(List<Long> begun, List<String> failed) {}

  private LongSparkJob(Path folder, LongJob job) {
    this.events = folder;
    this.job = job;
  }

  /**
   * Starts it.
   *
   * @param conf its HADOOP_CONF_DIR
   * @param folder of this machine, empty and its own
   */
  static LongSparkJob start(SparkSubmit spark, Cluster cluster, Path conf, Path folder)
      throws IOException {
    List<String> options =
        new ArrayList<>(
            List.of(String.format(SparkTable.CLASS_PATH, TestClusters.jar()).split(" ", -1)));
    for (String pair :
        List.of(
            "spark.eventLog.enabled=true",
            "spark.eventLog.dir=" + folder.toUri(),
            "spark.eventLog.rolling.enabled=false",
            "spark.eventLog.compress=false",
            "spark.sql.files.maxPartitionBytes=400000")) {
      options.addAll(List.of("--conf", pair));
    }
    Path end = folder.resolve("end");
    List<String> job =
        List.of(JOB.toString(), "/long-spark-job", Integer.toString(ROWS), end.toString());
    ProcessBuilder application = spark.application(cluster, conf, options, job);
    return new LongSparkJob(folder, LongJob.start(application, cluster, end, ERRORS));
  }

  /** Returns once its table is there and was read. */
  void awaitTable() {
    job.awaitPasses(1);
  }

  /** Returns once it has read the whole table from now on, twice. */
  void check() throws IOException {
    job.check();
  }

  /**
   * Ends it. All of it has to have succeeded, and to have found the same each time.
   *
   * @return its tasks
   */
  Tasks end() throws IOException, InterruptedException {
    job.end();
    List<String> passes = job.said(LongJob.PASS);
    assertThat(new HashSet<>(passes)).as("what it found, each time").hasSize(1);
    assertThat(passes.get(0)).startsWith("PASS " + ROWS + " ").contains(" " + ROWS + " ");
    assertThat(Long.parseLong(job.said(RDIO).get(0).substring(RDIO.length())))
        .as("bytes by RDIO")
        .isPositive();
    return tasks();
  }

  private Tasks tasks() throws IOException {
    List<Long> begun = new ArrayList<>();
    List<String> failed = new ArrayList<>();
    for (String line : eventLog()) {
      Map<?, ?> event = new JsonSerialization<>(Map.class, false, false).fromJson(line);
      if (!"SparkListenerTaskEnd".equals(event.get("Event"))) {
        continue;
      }
      if (event.get("Task Info") instanceof Map<?, ?> info
          && info.get("Launch Time") instanceof Number time) {
        begun.add(time.longValue());
      }
      if (!(event.get("Task End Reason") instanceof Map<?, ?> reason
          && "Success".equals(reason.get("Reason")))) {
        failed.add(line);
      }
    }
    return new Tasks(begun, failed);
  }

  private List<String> eventLog() throws IOException {
    try (Stream<Path> files = Files.list(events)) {
      Path log =
          files
              .filter(file -> file.getFileName().toString().startsWith("local-"))
              .findFirst()
              .orElseThrow();
      return Files.readAllLines(log);
    }
  }
}
