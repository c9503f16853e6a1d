// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.jobs;

import io.rdio.core.testing.Requirements;
import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.cluster.ProcessEnd;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Applications of Spark, with driver and executor in one JVM; {@code bin/lib/pypi} fetches it. */
enum SparkSubmit {
  /** Has Hadoop 3.4's client. */
  SPARK_4("pyspark", "4.1.4"),
  /** Has the client of Hadoop 3.3.4, which knows no {@code readVectored}. */
  SPARK_3_5("pyspark-3.5", "3.5.9");

  private static final Path JOB =
      Path.of("src/test/resources/io/rdio/hdfs/jobs/spark_job.py").toAbsolutePath();
  private static final Duration PATIENCE = Duration.ofMinutes(20);
  private static final String RESULT = "RESULT ";
  private static final String RDIO = "RDIO ";

  private final Path home;
  private final String version;

  SparkSubmit(String folder, String version) {
    String user = System.getenv().getOrDefault("HOME", "/root");
    this.home = Path.of(user, ".cache", "rdio", folder);
    this.version = version;
  }

  /** What came of one application: its results, bytes by RDIO, and its log. */
  record Run(List<String> results, long rdioBytes, String log) {}

  /** Skips unless this Spark is here. */
  void require() {
    Requirements.require(
        Files.isRegularFile(home.resolve("rdio-version")),
        "there is no Spark " + version + ": bin/lib/pypi " + home + " pyspark==" + version);
  }

  /**
   * Runs it to its end.
   *
   * @param conf its HADOOP_CONF_DIR
   * @param options of spark-submit
   * @param folder of the job's table, whose last part is the log's name in target
   * @param verbs the job's other arguments
   */
  Run run(Cluster cluster, Path conf, List<String> options, String folder, String... verbs)
      throws IOException {
    List<String> job = new ArrayList<>(List.of(JOB.toString(), folder));
    job.addAll(List.of(verbs));
    Path errors = Path.of("target", Path.of(folder).getFileName() + ".err");
    List<String> all = new ArrayList<>(options);
    all.addAll(List.of("--conf", "spark.driver.defaultJavaOptions=-XX:TieredStopAtLevel=1"));
    ProcessBuilder builder = application(cluster, conf, all, job).redirectError(errors.toFile());
    Process process = builder.start();
    cluster.killLater(process);
    ProcessEnd end = ProcessEnd.of(process, "the application of " + folder, PATIENCE);
    List<String> said = end.output().lines().toList();
    String log = Files.readString(errors);
    if (end.status() != 0) {
      throw new IOException("status " + end.status() + ": " + said + log);
    }
    long bytes =
        said.stream()
            .filter(line -> line.startsWith(RDIO))
            .mapToLong(line -> Long.parseLong(line.substring(RDIO.length())))
            .sum();
    return new Run(said.stream().filter(line -> line.startsWith(RESULT)).toList(), bytes, log);
  }

  /**
   * An application, not started yet.
   *
   * @param conf its HADOOP_CONF_DIR
   * @param options of spark-submit
   * @param job its program, and what that is told
   */
  ProcessBuilder application(Cluster cluster, Path conf, List<String> options, List<String> job) {
    List<String> command = new ArrayList<>();
    command.add(home.resolve("bin/spark-submit").toString());
    command.addAll(List.of("--master", "local[2]", "--driver-memory", "700m"));
    command.addAll(List.of("--conf", "spark.ui.enabled=false"));
    command.addAll(List.of("--conf", "spark.sql.shuffle.partitions=2"));
    // Else they ask HDFS for blocks of 256 and 128 MB, for which the volume may have no room.
    command.addAll(List.of("--conf", "spark.hadoop.orc.block.size=1048576"));
    command.addAll(List.of("--conf", "spark.hadoop.parquet.block.size=1048576"));
    // A mark by which the cluster's end finds the process.
    command.addAll(List.of("--conf", "spark.local.dir=" + cluster.folder().resolve("spark")));
    command.addAll(options);
    command.addAll(job);
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put("HADOOP_CONF_DIR", conf.toString());
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    builder.environment().put("PYSPARK_PYTHON", home.resolve("bin/python").toString());
    builder.environment().put("SPARK_LOCAL_IP", "127.0.0.1");
    builder.environment().remove("SPARK_HOME");
    return builder;
  }
}
