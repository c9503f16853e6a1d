// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.jobs;

import static io.rdio.hdfs.cluster.Shape.PLAIN_EXT4;
import static io.rdio.hdfs.jobs.SparkSubmit.SPARK_3_5;

import io.rdio.hdfs.agent.AgentProcess;
import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.cluster.SharedClusters;
import io.rdio.hdfs.cluster.Shares;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What {@link SparkIT} has, by Spark 3.5 and of files that it wrote. */
@Tag("loop")
@Shares(PLAIN_EXT4)
@EnabledIfSystemProperty(named = "rdio.test.all", matches = "true")
class OlderSparkIT {
  private static Cluster cluster;
  private static SparkTable table;

  @BeforeAll
  static void write(SharedClusters clusters) throws Exception {
    SPARK_3_5.require();
    cluster = clusters.of(PLAIN_EXT4);
    table = SparkTable.write(SPARK_3_5, cluster, "/older-spark");
  }

  @Test
  void readsByTheAgent() throws Exception {
    try (AgentProcess agent = AgentProcess.start(cluster)) {
      table.readByRdio(
          SPARK_3_5, agent.clientConf("dfs.client.rdio.agent", "required"), SparkTable.CLASS_PATH);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {SparkTable.CLASS_PATH, SparkTable.JARS, SparkTable.SPARK_JARS})
  void readsDevicesItself(String jar) throws Exception {
    table.readByRdio(
        SPARK_3_5, SparkTable.byDevice(cluster, "conf-older-spark-" + jar.length()), jar);
  }
}
