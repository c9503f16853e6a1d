// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.jobs;

import static io.rdio.hdfs.cluster.Shape.PLAIN_EXT4;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.hdfs.agent.AgentProcess;
import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.cluster.SharedClusters;
import io.rdio.hdfs.cluster.Shares;
import io.rdio.hdfs.cluster.TestClusters;
import io.rdio.hdfs.jobs.SparkSubmit.Run;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Spark's own readers of Parquet, ORC, CSV and JSON: the results of stock HDFS, by RDIO. */
@Tag("loop")
@Shares(PLAIN_EXT4)
class SparkIT {
  private static final String FOLDER = "/spark";
  private static final int QUERIES = 6;

  @TempDir private static Path folder;
  private static Cluster cluster;
  private static AgentProcess agent;
  private static Run byStock;
  private static long written;

  @BeforeAll
  static void write(SharedClusters clusters) throws Exception {
    SparkSubmit.require();
    cluster = clusters.of(PLAIN_EXT4);
    agent = AgentProcess.start(cluster);
    byStock = SparkSubmit.run(cluster, cluster.confFolder(false), List.of(), FOLDER, "write");
    assertThat(byStock.results()).hasSize(QUERIES);
    assertThat(byStock.rdioBytes()).isZero();
    try (FileSystem stock = cluster.fileSystem(false)) {
      written = stock.getContentSummary(new org.apache.hadoop.fs.Path(FOLDER)).getLength();
    }
  }

  @AfterAll
  static void stop() throws IOException {
    if (agent != null) {
      agent.close();
    }
  }

  private static void assertByRdio(Run run) {
    assertThat(run.results()).isEqualTo(byStock.results());
    assertThat(run.rdioBytes()).as("by RDIO, of all files' bytes").isGreaterThan(written);
  }

  @Test
  void readsByTheAgentAndSeveralRangesAtOnce() throws Exception {
    Path conf =
        agent.clientConf(
            "dfs.client.rdio.agent",
            "required",
            "fs.hdfs.impl",
            "io.rdio.hdfs.client.RdioFileSystem",
            "parquet.hadoop.vectored.io.enabled",
            "true");
    Path loaded = folder.resolve("loaded");
    List<String> options =
        List.of(
            "--conf",
            "spark.driver.extraClassPath=" + TestClusters.jar(),
            "--driver-java-options",
            "-Xlog:class+load:file=" + loaded);
    assertByRdio(SparkSubmit.run(cluster, conf, options, FOLDER));
    assertThat(Files.readString(loaded)).contains("io.rdio.hdfs.client.vectored.SortedRanges ");
  }

  @Test
  void readsDevicesItself() throws Exception {
    List<String> options = List.of("--conf", "spark.driver.extraClassPath=" + TestClusters.jar());
    assertByRdio(SparkSubmit.run(cluster, byDevice("conf-spark"), options, FOLDER));
  }

  private static Path byDevice(String name) throws IOException {
    return cluster.addConfFolder(name, true, Map.of("dfs.client.rdio.agent", "off"));
  }

  @ParameterizedTest
  @EnabledIfSystemProperty(named = "rdio.test.all", matches = "true")
  @ValueSource(strings = {"--jars ", "--conf spark.jars="})
  void jarThatTheApplicationBringsIsFound(String option) throws Exception {
    List<String> options = List.of((option + TestClusters.jar()).split(" ", -1));
    assertByRdio(
        SparkSubmit.run(cluster, byDevice("conf-spark-" + option.length()), options, FOLDER));
  }
}
