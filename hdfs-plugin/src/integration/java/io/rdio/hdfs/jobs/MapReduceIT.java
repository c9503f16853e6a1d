// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.jobs;

import static io.rdio.hdfs.cluster.Shape.PLAIN_EXT4;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.hdfs.agent.AgentProcess;
import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.cluster.SharedClusters;
import io.rdio.hdfs.cluster.Shares;
import io.rdio.hdfs.cluster.Yarn;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer.OrderAnnotation;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * Jobs on YARN whose containers have no right on any device and read by the agent: with the results
 * of stock HDFS.
 */
@Tag("loop")
@Shares(PLAIN_EXT4)
@TestMethodOrder(OrderAnnotation.class)
class MapReduceIT {
  private static final int ROWS = 100_000;
  private static final int BYTES = 100 * ROWS;
  private static final String RDIO_READ = "RDIO: Number of bytes read";
  private static final String HDFS_READ = "HDFS: Number of bytes read";

  /** Two tasks, of several blocks each. */
  private static final String SPLITS =
      " -Dmapreduce.input.fileinputformat.split.minsize=" + BYTES / 2 + " ";

  private static Cluster cluster;
  private static FileSystem stock;
  private static Yarn yarn;
  private static AgentProcess agent;
  private static Path stockConf;
  private static Path rdioConf;

  @BeforeAll
  static void start(SharedClusters clusters) throws IOException {
    cluster = clusters.of(PLAIN_EXT4);
    stock = cluster.fileSystem(false);
    yarn = Yarn.start(cluster);
    agent = AgentProcess.start(cluster);
    List<String> keys = new ArrayList<>();
    yarn.keys().forEach((key, value) -> keys.addAll(List.of(key, value)));
    stockConf = Yarn.complete(cluster.addConfFolder("conf-jobs", false, yarn.keys()));
    keys.addAll(List.of("dfs.client.rdio.agent", "required"));
    keys.addAll(List.of("dfs.client.rdio.job.counter", "true"));
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
  }

  private static List<Map<String, Long>> run(Path conf, String... jobs) throws Exception {
    double before = yarn.containersCpuSeconds();
    List<Map<String, Long>> counters = MapReduceJobs.run(yarn, conf, List.of(jobs));
    System.out.printf(
        "%s: %.1f CPU seconds in containers, of which one may be at work yet%n",
        List.of(jobs), yarn.containersCpuSeconds() - before);
    return counters;
  }

  /** All of what was sorted, and at most all that was read from HDFS. */
  private static void assertByRdio(Map<String, Long> job) {
    assertThat(job.get(RDIO_READ)).isBetween((long) BYTES, job.get(HDFS_READ));
  }

  @Test
  @Order(1)
  void sortsAsStockHdfsDoes() throws Exception {
    List<Map<String, Long>> byStock =
        run(
            stockConf,
            "terasort.TeraGen -Dmapreduce.job.maps=1 " + ROWS + " /jobs/in",
            "terasort.TeraSort" + SPLITS + "/jobs/in /jobs/by-stock");
    assertThat(byStock).hasSize(2).noneMatch(job -> job.containsKey(RDIO_READ));
    List<Map<String, Long>> byRdio =
        run(rdioConf, "terasort.TeraSort" + SPLITS + "/jobs/in /jobs/by-rdio");
    assertByRdio(byRdio.get(0));
    byte[] sorted = contentOf("/jobs/by-stock");
    assertThat(sorted).hasSize(BYTES);
    assertThat(Arrays.equals(contentOf("/jobs/by-rdio"), sorted)).as("sorted alike").isTrue();
  }

  @Test
  @Order(2)
  @EnabledIfSystemProperty(named = "rdio.test.all", matches = "true")
  void validatesAndFindsAsStockHdfsDoes() throws Exception {
    String validate = "terasort.TeraValidate /jobs/by-rdio /jobs/valid-by-";
    String find = "Grep" + SPLITS + "/jobs/in /jobs/found-by-%s [A-F]{4}0{4}";
    run(stockConf, validate + "stock", String.format(find, "stock"));
    List<Map<String, Long>> byRdio = run(rdioConf, validate + "rdio", String.format(find, "rdio"));
    assertByRdio(byRdio.get(0));
    assertByRdio(byRdio.get(1));
    byte[] valid = contentOf("/jobs/valid-by-stock");
    assertThat(new String(valid, UTF_8)).startsWith("checksum\t");
    assertThat(contentOf("/jobs/valid-by-rdio")).isEqualTo(valid);
    byte[] found = contentOf("/jobs/found-by-stock");
    assertThat(found).isNotEmpty();
    assertThat(contentOf("/jobs/found-by-rdio")).isEqualTo(found);
  }

  /** Of all parts of a job's output. */
  private static byte[] contentOf(String folder) throws IOException {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (FileStatus part : stock.globStatus(new org.apache.hadoop.fs.Path(folder + "/part-*"))) {
      try (FSDataInputStream in = stock.open(part.getPath())) {
        in.transferTo(all);
      }
    }
    return all.toByteArray();
  }
}
