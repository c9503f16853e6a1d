// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.jobs;

import static io.rdio.hdfs.cluster.Shape.PLAIN_EXT4;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.hdfs.agent.AgentProcess;
import io.rdio.hdfs.cli.Rdio;
import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.cluster.Proc;
import io.rdio.hdfs.cluster.SharedClusters;
import io.rdio.hdfs.cluster.Shares;
import io.rdio.hdfs.cluster.Yarn;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.hadoop.fs.FSDataOutputStream;
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
    keys.addAll(List.of("dfs.client.rdio.exit.report", "true"));
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

  private record Run(Map<String, Long> counters, JobCpu cpu) {}

  private static Run run(Path conf, String job) throws Exception {
    JobCpu before = cpu();
    Map<String, Long> counters = MapReduceJobs.run(yarn, conf, job);
    return new Run(counters, cpu().minus(before));
  }

  private static JobCpu cpu() throws IOException {
    Map<String, Double> seconds = new LinkedHashMap<>();
    seconds.put("containers", yarn.containersCpuSeconds());
    // Of what this JVM has started, nothing else ends while a job runs.
    seconds.put("who submits", Proc.endedChildrensCpuSeconds(ProcessHandle.current().pid()));
    seconds.put("DataNode", cluster.dataNode(0).cpuSeconds());
    seconds.put("agent", agent.cpuSeconds());
    seconds.put("NameNode", cluster.nameNode().cpuSeconds());
    seconds.put("NodeManager", yarn.nodeManagerCpuSeconds());
    seconds.put("ResourceManager", yarn.resourceManagerCpuSeconds());
    return new JobCpu(seconds);
  }

  /**
   * Runs a job on stock HDFS, and then by RDIO.
   *
   * @param job with a %s that is "stock" or "rdio"
   * @param bytes that its tasks have to read
   */
  private static void runBoth(String job, long bytes) throws Exception {
    Run byStock = run(stockConf, String.format(job, "stock"));
    assertThat(byStock.counters()).doesNotContainKey(RDIO_READ);
    assertThat(byStock.counters().get(HDFS_READ)).isGreaterThanOrEqualTo(bytes);
    Run byRdio = run(rdioConf, String.format(job, "rdio"));
    assertThat(byRdio.counters().get(RDIO_READ))
        .as("of what was read from HDFS: %s", byRdio.counters())
        .isBetween(bytes, byRdio.counters().get(HDFS_READ));
    System.out.println(JobCpu.report(job.replace("%s", "*"), byRdio.cpu(), byStock.cpu()));
  }

  @Test
  @Order(1)
  void sortsAsStockHdfsDoes() throws Exception {
    run(stockConf, "examples.terasort.TeraGen -Dmapreduce.job.maps=1 " + ROWS + " /jobs/in");
    runBoth("examples.terasort.TeraSort" + SPLITS + "/jobs/in /jobs/by-%s", BYTES);
    byte[] sorted = contentOf("/jobs/by-stock");
    assertThat(sorted).hasSize(BYTES);
    assertThat(Arrays.equals(contentOf("/jobs/by-rdio"), sorted)).as("sorted alike").isTrue();
    assertThat(doctor(MapReduceJobs.LOG.toString()))
        .containsPattern("counters of jobs: 1 ")
        .contains("RDIO was used");
    Path containers =
        Files.writeString(
            MapReduceJobs.LOG.resolveSibling("map-reduce-containers.log"), yarn.logs());
    assertThat(doctor(containers.toString()))
        .as("of both mappers")
        .containsPattern("processes at their end: [2-9]")
        .containsPattern("counters of tasks: [2-9]")
        .contains("RDIO was used");
  }

  /** What it says of the logs of a job that was read by RDIO. */
  private static String doctor(String logs) {
    StringWriter out = new StringWriter();
    int status = Rdio.commandLine().setOut(new PrintWriter(out)).execute("doctor", "--job", logs);
    assertThat(status).as(out.toString()).isZero();
    return out.toString();
  }

  @Test
  @Order(2)
  @EnabledIfSystemProperty(named = "rdio.test.all", matches = "true")
  void validatesAndFindsAsStockHdfsDoes() throws Exception {
    runBoth("examples.terasort.TeraValidate /jobs/by-rdio /jobs/valid-by-%s", BYTES);
    runBoth("examples.Grep" + SPLITS + "/jobs/in /jobs/found-by-%s [A-F]{4}0{4}", BYTES);
    byte[] valid = contentOf("/jobs/valid-by-stock");
    assertThat(new String(valid, UTF_8)).startsWith("checksum\t");
    assertThat(contentOf("/jobs/valid-by-rdio")).isEqualTo(valid);
    byte[] found = contentOf("/jobs/found-by-stock");
    assertThat(found).isNotEmpty();
    assertThat(contentOf("/jobs/found-by-rdio")).isEqualTo(found);
  }

  @Test
  @Order(3)
  @EnabledIfSystemProperty(named = "rdio.test.all", matches = "true")
  void countsWords() throws Exception {
    Random random = new Random(1);
    StringBuilder text = new StringBuilder(BYTES);
    Map<String, Integer> counts = new TreeMap<>();
    while (text.length() < BYTES) {
      String word = "word" + random.nextInt(1000);
      counts.merge(word, 1, Integer::sum);
      text.append(word).append(random.nextInt(10) == 0 ? '\n' : ' ');
    }
    try (FSDataOutputStream out = stock.create(new org.apache.hadoop.fs.Path("/jobs/text"))) {
      out.write(text.toString().getBytes(UTF_8));
    }
    runBoth("mapred.WordCount" + SPLITS + "-r 1 /jobs/text /jobs/words-by-%s", text.length());
    StringBuilder expected = new StringBuilder();
    counts.forEach((word, count) -> expected.append(word).append('\t').append(count).append('\n'));
    for (String by : List.of("stock", "rdio")) {
      assertThat(new String(contentOf("/jobs/words-by-" + by), UTF_8))
          .as("words counted by %s", by)
          .isEqualTo(expected.toString());
    }
  }

  /** TestDFSIO, in order and by position, from the end to the beginning. */
  @Test
  @Order(4)
  @EnabledIfSystemProperty(named = "rdio.test.all", matches = "true")
  void readsAsMuchInTheBenchmarkOfHdfs() throws Exception {
    String job =
        "fs.TestDFSIO -Dtest.build.data=/jobs/dfsio-%s"
            + " -nrFiles 2 -size 8MB -bufferSize 65536 -resFile target/dfsio.log ";
    for (String by : List.of("stock", "rdio")) {
      run(stockConf, String.format(job, by) + "-write");
    }
    runBoth(job + "-read", 16 << 20);
    runBoth(job + "-read -backward", 16 << 20);
    for (String by : List.of("stock", "rdio")) {
      for (String output : List.of("io_read", "io_random_read")) {
        assertThat(new String(contentOf("/jobs/dfsio-" + by + "/" + output), UTF_8))
            .as("%s by %s", output, by)
            .contains("l:size\t" + (16 << 20) + "\n", "l:tasks\t2\n");
      }
    }
  }

  /** Slive, which knows what each of the files that it wrote has to be. */
  @Test
  @Order(5)
  @EnabledIfSystemProperty(named = "rdio.test.all", matches = "true")
  void findsWhatItWroteInTheTestOfHdfs() throws Exception {
    String job =
        "fs.slive.SliveTest -maps 2 -reduces 1 -ops 20 -files 10 -seed 7 -replication 1,1"
            + " -blockSize 1M,1M -writeSize 3M,3M -resFile target/slive.log -baseDir /jobs/%s"
            + " -append 0 -delete 0 -ls 0 -mkdir 0 -rename 0 -truncate 0 -create 0 -read 0";
    for (String by : List.of("stock", "rdio")) {
      run(stockConf, String.format(job.replace("-create 0", "-create 100"), by));
      stock.delete(new org.apache.hadoop.fs.Path(sliveOutput(by)), true);
    }
    runBoth(job.replace("-read 0", "-read 100"), 2 * 20 * (3 << 20));
    List<String> byStock = sliveResults("stock");
    assertThat(sliveResults("rdio")).isEqualTo(byStock);
    assertThat(byStock)
        .anyMatch(line -> line.matches(".*chunks_verified\\t[1-9].*"))
        .anyMatch(line -> line.matches(".*chunks_unverified\\t0"));
  }

  private static String sliveOutput(String by) {
    return "/jobs/" + by + "/slive/output";
  }

  /** All but times. */
  private static List<String> sliveResults(String by) throws IOException {
    String all = new String(contentOf(sliveOutput(by)), UTF_8);
    return all.lines().filter(line -> !line.contains("milliseconds")).toList();
  }

  /** Of all parts of a job's output. */
  private static byte[] contentOf(String folder) throws IOException {
    return MapReduceJobs.contentOf(stock, folder + "/part-*");
  }
}
