// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.cluster.TestClusters;
import io.rdio.hdfs.jobs.SparkSubmit.Run;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.FileSystem;

/** A table in several formats that Spark wrote, and what it found in it then. */
final class SparkTable {
  /** Each loads the jar another way; {@code %s} is its path. */
  static final String CLASS_PATH = "--conf spark.driver.extraClassPath=%s";

  static final String JARS = "--jars %s";
  static final String SPARK_JARS = "--conf spark.jars=%s";

  private static final int QUERIES = 6;

  private final Cluster cluster;
  private final String folder;
  private final List<String> results;
  private final long bytes;

  private SparkTable(Cluster cluster, String folder, List<String> results, long bytes) {
    this.cluster = cluster;
    this.folder = folder;
    this.results = results;
    this.bytes = bytes;
  }

  static SparkTable write(SparkSubmit spark, Cluster cluster, String folder) throws Exception {
    Run run = spark.run(cluster, cluster.confFolder(false), List.of(), folder, "write");
    assertThat(run.rdioBytes()).isZero();
    return of(run, cluster, folder);
  }

  /** One that Spark writes by RDIO. */
  static SparkTable writeByRdio(SparkSubmit spark, Cluster cluster, Path conf, String folder)
      throws Exception {
    Run run = spark.run(cluster, conf, withJar(CLASS_PATH), folder, "write");
    return of(run, cluster, folder);
  }

  private static SparkTable of(Run run, Cluster cluster, String folder) throws IOException {
    assertThat(run.results()).hasSize(QUERIES);
    try (FileSystem stock = cluster.fileSystem(false)) {
      org.apache.hadoop.fs.Path written = new org.apache.hadoop.fs.Path(folder);
      return new SparkTable(
          cluster, folder, run.results(), stock.getContentSummary(written).getLength());
    }
  }

  private static List<String> withJar(String jar) {
    return new ArrayList<>(List.of(String.format(jar, TestClusters.jar()).split(" ", -1)));
  }

  /** Has Spark read it by stock HDFS, which has to find the same. */
  void readByStock(SparkSubmit spark) throws Exception {
    Run run = spark.run(cluster, cluster.confFolder(false), List.of(), folder);
    assertThat(run.results()).isEqualTo(results);
    assertThat(run.rdioBytes()).isZero();
  }

  /** Has Spark read it, which has to find the same, by RDIO. */
  Run readByRdio(SparkSubmit spark, Path conf, String jar, String... options) throws Exception {
    List<String> all = withJar(jar);
    all.addAll(List.of(options));
    Run run = spark.run(cluster, conf, all, folder);
    assertThat(run.results()).isEqualTo(results);
    assertThat(run.rdioBytes()).as("by RDIO, of all files' bytes").isGreaterThan(bytes);
    return run;
  }

  /** Fails unless Spark found the same in both. */
  void requireSameAs(SparkTable other) {
    assertThat(results).isEqualTo(other.results);
  }

  /** Keys of clients that open devices themselves. */
  static Path byDevice(Cluster cluster, String name) throws IOException {
    return cluster.addConfFolder(name, true, Map.of("dfs.client.rdio.agent", "off"));
  }
}
