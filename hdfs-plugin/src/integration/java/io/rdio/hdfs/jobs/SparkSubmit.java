// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.jobs;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rdio.core.testing.Requirements;
import io.rdio.hdfs.cluster.Cluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Applications of Spark, with driver and executor in one JVM; {@code bin/lib/pyspark} has it. */
final class SparkSubmit {
  private static final Path HOME =
      Path.of(System.getenv().getOrDefault("HOME", "/root"), ".cache", "rdio", "pyspark");
  private static final Path JOB =
      Path.of("src/test/resources/io/rdio/hdfs/jobs/spark_job.py").toAbsolutePath();
  private static final Path ERRORS = Path.of("target", "spark.err");
  private static final String RESULT = "RESULT ";
  private static final String RDIO = "RDIO ";

  private SparkSubmit() {}

  /** What came of one application: its results, bytes by RDIO, and its log. */
  record Run(List<String> results, long rdioBytes, String log) {}

  /** Skips unless Spark is here. */
  static void require() {
    Requirements.require(
        Files.isRegularFile(HOME.resolve("rdio-version")),
        "there is no Spark: bin/lib/pyspark " + HOME);
  }

  /**
   * Runs it to its end.
   *
   * @param conf its HADOOP_CONF_DIR
   * @param options of spark-submit
   * @param words the job's arguments
   */
  static Run run(Cluster cluster, Path conf, List<String> options, String... words)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(HOME.resolve("bin/spark-submit").toString());
    command.addAll(List.of("--master", "local[2]", "--driver-memory", "700m"));
    command.addAll(List.of("--conf", "spark.ui.enabled=false"));
    command.addAll(List.of("--conf", "spark.sql.shuffle.partitions=2"));
    // Else they ask HDFS for blocks of 256 and 128 MB, for which the volume may have no room.
    command.addAll(List.of("--conf", "spark.hadoop.orc.block.size=1048576"));
    command.addAll(List.of("--conf", "spark.hadoop.parquet.block.size=1048576"));
    // A mark by which the cluster's end finds the process.
    command.addAll(List.of("--conf", "spark.local.dir=" + cluster.folder().resolve("spark")));
    command.addAll(options);
    command.add(JOB.toString());
    command.addAll(List.of(words));
    ProcessBuilder builder = new ProcessBuilder(command).redirectError(ERRORS.toFile());
    builder.environment().put("HADOOP_CONF_DIR", conf.toString());
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    builder.environment().put("PYSPARK_PYTHON", HOME.resolve("bin/python").toString());
    builder.environment().put("SPARK_LOCAL_IP", "127.0.0.1");
    builder.environment().remove("SPARK_HOME");
    Process process = builder.start();
    cluster.killLater(process);
    List<String> said = new String(process.getInputStream().readAllBytes(), UTF_8).lines().toList();
    int status = process.waitFor();
    String log = Files.readString(ERRORS);
    if (status != 0) {
      throw new IOException("status " + status + ": " + said + log);
    }
    long bytes =
        said.stream()
            .filter(line -> line.startsWith(RDIO))
            .mapToLong(line -> Long.parseLong(line.substring(RDIO.length())))
            .sum();
    return new Run(said.stream().filter(line -> line.startsWith(RESULT)).toList(), bytes, log);
  }
}
