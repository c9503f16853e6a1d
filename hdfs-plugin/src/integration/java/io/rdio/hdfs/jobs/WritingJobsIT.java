// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.jobs;

import static io.rdio.hdfs.jobs.SparkSubmit.SPARK_4;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rdio.core.testing.Requirements;
import io.rdio.hdfs.RdioConfigKeys;
import io.rdio.hdfs.agent.AgentProcess;
import io.rdio.hdfs.client.RdioFileSystem;
import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.cluster.TestClusters;
import io.rdio.hdfs.cluster.Yarn;
import io.rdio.hdfs.it.RdioClient;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.RemoteIterator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer.OrderAnnotation;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * Jobs whose files the agent writes, for containers and an application that have no right on any
 * device: stock HDFS and RDIO read in them what stock HDFS would have written.
 */
@Tag("loop")
@EnabledIfSystemProperty(named = "rdio.test.all", matches = "true")
@TestMethodOrder(OrderAnnotation.class)
final class WritingJobsIT {
  private static final int BLOCK = 4 << 20;
  private static final int SMALL = 64 << 10;
  private static final int ROWS = 100_000;
  private static final int BYTES = 100 * ROWS;
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final String BEAN = "Hadoop:service=DataNode,name=RdioDataNode-*";

  /** Free slots that the largest of these jobs has enough with. */
  private static final int SLOTS = 20;

  private static Cluster cluster;
  private static FileSystem stock;
  private static Yarn yarn;
  private static AgentProcess agent;
  private static Path stockConf;
  private static Path rdioConf;

  @BeforeAll
  static void start() throws IOException {
    Requirements.requireLoop("ext4");
    cluster =
        TestClusters.builder()
            .volumeBytes(1200L << 20)
            .set("dfs.blocksize", Integer.toString(BLOCK))
            .set("dfs.block.access.token.enable", "true")
            .set("dfs.datanode.rdio.recall.check.interval", "200ms")
            .set(RdioConfigKeys.DATANODE_WRITE.name(), "on")
            .set(RdioConfigKeys.DATANODE_WRITE_POOL_SIZE.name(), "160m")
            .set(RdioConfigKeys.DATANODE_WRITE_IO_TIME_MAX.name(), "1s")
            .start();
    stock = cluster.fileSystem(false);
    yarn = Yarn.start(cluster);
    agent = AgentProcess.start(cluster, List.of(), Map.of("dfs.client.rdio.agent.write", "on"));
    stockConf = Yarn.complete(cluster.addConfFolder("conf-jobs", false, yarn.keys()));
    List<String> keys = new ArrayList<>();
    yarn.keys().forEach((key, value) -> keys.addAll(List.of(key, value)));
    keys.addAll(List.of("fs.hdfs.impl", RdioFileSystem.class.getName()));
    keys.addAll(List.of(RdioConfigKeys.CLIENT_AGENT.name(), "required"));
    keys.addAll(List.of(RdioConfigKeys.CLIENT_WRITE.name(), "auto"));
    keys.addAll(List.of(RdioConfigKeys.CLIENT_WRITE_SMALL.name(), Integer.toString(SMALL)));
    rdioConf = Yarn.complete(agent.clientConf(keys.toArray(String[]::new)));
  }

  @AfterAll
  static void stop() throws IOException {
    if (agent != null) {
      agent.close();
    }
    if (yarn != null) {
      yarn.close();
    }
    if (stock != null) {
      stock.close();
    }
    if (cluster != null) {
      cluster.close();
    }
  }

  private static long metric(String name) throws IOException {
    Object value = cluster.dataNode(0).jmx(BEAN).get(name);
    return value == null ? 0 : ((Number) value).longValue();
  }

  /**
   * Has something written by RDIO: all of it by the agent, but for files that are small.
   *
   * @param folder that is written
   */
  private static <T> T byAgent(String folder, Callable<T> work) throws Exception {
    await("slots").atMost(PATIENCE).until(() -> metric("SlotsFree") >= SLOTS);
    long before = metric("CommittedBytes");
    T result = work.call();
    long written = largeFiles(folder);
    assertThat(written).isPositive();
    await("the agent's bytes, of %s in %s".formatted(written, folder))
        .atMost(PATIENCE) // the /jmx page is some seconds old
        .until(() -> metric("CommittedBytes") - before >= written);
    return result;
  }

  private static long largeFiles(String folder) throws IOException {
    long sum = 0;
    RemoteIterator<LocatedFileStatus> files =
        stock.listFiles(new org.apache.hadoop.fs.Path(folder), true);
    while (files.hasNext()) {
      long length = files.next().getLen();
      sum += length < SMALL ? 0 : length;
    }
    return sum;
  }

  /** The same bytes in two jobs' files, read by stock HDFS and by RDIO. */
  private static void assertAlike(String files, int length) throws IOException {
    byte[] expected = MapReduceJobs.contentOf(stock, files.formatted("stock"));
    assertThat(expected).hasSize(length);
    try (RdioClient rdio = RdioClient.of(cluster)) {
      for (FileSystem fs : List.of(stock, rdio.fs())) {
        byte[] got = MapReduceJobs.contentOf(fs, files.formatted("rdio"));
        assertThat(Arrays.mismatch(got, expected)).as("%s by %s", files, fs).isEqualTo(-1);
      }
    }
  }

  private static void runBoth(String job, String folder) throws Exception {
    MapReduceJobs.run(yarn, stockConf, job.formatted("stock"));
    byAgent(
        folder.formatted("rdio"), () -> MapReduceJobs.run(yarn, rdioConf, job.formatted("rdio")));
  }

  @Test
  @Order(1)
  void teraGenWritesAsStockHdfsDoes() throws Exception {
    String folder = "/jobs/gen-by-%s";
    runBoth("examples.terasort.TeraGen -Dmapreduce.job.maps=2 " + ROWS + " " + folder, folder);
    assertAlike(folder + "/part-*", BYTES);
  }

  @Test
  @Order(2)
  void teraSortWritesAsStockHdfsDoes() throws Exception {
    String folder = "/jobs/sort-by-%s";
    runBoth("examples.terasort.TeraSort /jobs/gen-by-%1$s " + folder.replace("%s", "%1$s"), folder);
    assertAlike(folder + "/part-*", BYTES);
  }

  @Test
  @Order(3)
  void testDfsIoWritesAsStockHdfsDoes() throws Exception {
    String folder = "/jobs/dfsio-by-%s";
    runBoth(
        "fs.TestDFSIO -Dtest.build.data="
            + folder
            + " -nrFiles 2 -size 9MB -bufferSize 65536 -resFile target/dfsio.log -write",
        folder + "/io_data");
    assertAlike(folder + "/io_data/test_io_*", 18 << 20);
  }

  @Test
  @Order(4)
  void sparkFindsInWhatTheAgentWroteWhatStockHdfsHas() throws Exception {
    SPARK_4.require();
    String folder = "/spark-by-agent";
    SparkTable table =
        byAgent(folder, () -> SparkTable.writeByRdio(SPARK_4, cluster, rdioConf, folder));
    assertThat(largeFiles(folder + "/parquet")).isPositive();
    table.readByStock(SPARK_4);
    table.readByRdio(SPARK_4, rdioConf, SparkTable.CLASS_PATH);
    table.requireSameAs(SparkTable.write(SPARK_4, cluster, "/spark-by-stock"));
  }
}
