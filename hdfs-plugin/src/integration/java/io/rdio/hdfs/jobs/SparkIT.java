// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.jobs;

import static io.rdio.hdfs.cluster.Shape.PLAIN_EXT4;
import static io.rdio.hdfs.jobs.SparkSubmit.SPARK_3_5;
import static io.rdio.hdfs.jobs.SparkSubmit.SPARK_4;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.hdfs.agent.AgentProcess;
import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.cluster.SharedClusters;
import io.rdio.hdfs.cluster.Shares;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
  @TempDir private static Path folder;
  private static Cluster cluster;
  private static AgentProcess agent;
  private static SparkTable table;

  @BeforeAll
  static void write(SharedClusters clusters) throws Exception {
    SPARK_4.require();
    cluster = clusters.of(PLAIN_EXT4);
    agent = AgentProcess.start(cluster);
    table = SparkTable.write(SPARK_4, cluster, "/spark");
  }

  @AfterAll
  static void stop() throws IOException {
    if (agent != null) {
      agent.close();
    }
  }

  private static Path byAgent() throws IOException {
    return agent.clientConf(
        "dfs.client.rdio.agent",
        "required",
        "fs.hdfs.impl",
        "io.rdio.hdfs.client.RdioFileSystem",
        "parquet.hadoop.vectored.io.enabled",
        "true");
  }

  @Test
  void readsByTheAgentAndSeveralRangesAtOnce() throws Exception {
    Path loaded = folder.resolve("loaded");
    String log = "-Xlog:class+load:file=" + loaded;
    table.readByRdio(SPARK_4, byAgent(), SparkTable.CLASS_PATH, "--driver-java-options", log);
    assertThat(Files.readString(loaded)).contains("io.rdio.hdfs.client.vectored.SortedRanges ");
  }

  /** Its Hadoop knows no ranges: the same keys have to do for it. */
  @Test
  @EnabledIfSystemProperty(named = "rdio.test.all", matches = "true")
  void anOlderSparkReadsTheSameByTheAgent() throws Exception {
    SPARK_3_5.require();
    table.readByRdio(SPARK_3_5, byAgent(), SparkTable.CLASS_PATH);
  }

  @Test
  void readsDevicesItself() throws Exception {
    Path conf = SparkTable.byDevice(cluster, "conf-spark");
    table.readByRdio(SPARK_4, conf, SparkTable.CLASS_PATH);
  }

  @ParameterizedTest
  @EnabledIfSystemProperty(named = "rdio.test.all", matches = "true")
  @ValueSource(strings = {SparkTable.JARS, SparkTable.SPARK_JARS})
  void jarThatTheApplicationBringsIsFound(String jar) throws Exception {
    Path conf = SparkTable.byDevice(cluster, "conf-spark-" + jar.length());
    table.readByRdio(SPARK_4, conf, jar);
  }
}
