// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * HBase while all DataNodes are killed and stay dead, listed by the NameNode at first, then
 * dropped: random gets and scans that began before go on until its end, none fails, none is tried
 * again, and all values are right. Each reads HDFS, since the region server has no cache. Of a
 * table on a region server that reads as stock HDFS does a get fails.
 */
@Tag("loop")
@Tag("alone")
@EnabledIfSystemProperty(named = "rdio.test.all", matches = "true")
class HBaseThroughOutageIT {
  private static final String ROWS = "100000";
  private static final String FEW_ROWS = "1000";

  @TempDir private Path folder;

  @Test
  void getsAndScansGoOnAndAllValuesAreRight() throws Exception {
    HBase.require();
    try (Outage outage = new Outage(2, Duration.ofSeconds(1));
        HBase hbase = HBase.on(outage.cluster())) {
      Path conf = byRdio(outage, hbase);
      hbase.startMaster(conf);
      HBase.RegionServer server = hbase.startRegionServer(conf);
      write(hbase, conf, "by-rdio", ROWS, server);
      HBase.RegionServer stock = hbase.startRegionServer(byStock(outage, hbase));
      write(hbase, conf, "by-stock", FEW_ROWS, stock);
      Path end = folder.resolve("end");
      LongJob readers =
          LongJob.start(
              hbase.client(conf, "read", "by-rdio", ROWS, end.toString()),
              outage.cluster(),
              end,
              Path.of("target", "hbase-read.err"));
      readers.awaitPasses(2);
      assertThat(getByStock(hbase, conf)).as("while DataNodes live").isZero();

      outage.begin(Death.PROCESS);
      readers.check();
      assertThat(getByStock(hbase, conf)).as("the exit status of a get by stock HDFS").isNotZero();
      assertThat(hbase.run(conf, "get", "by-rdio", ROWS)).as("that of another client").isZero();
      outage.awaitDropped();
      readers.check();
      Map<String, Object> counted = server.rdio();
      assertThat(bytes(counted, "AgentBytes"))
          .as("by RDIO")
          .isPositive()
          .isEqualTo(bytes(counted, "RdioBytes"));
      readers.end();
      System.out.println("HBase: " + readers.said("LONGEST ") + " ms, the longest get");
    }
  }

  private static Path byRdio(Outage outage, HBase hbase) throws IOException {
    Map<String, String> keys = new TreeMap<>(hbase.keys());
    keys.put("fs.hdfs.impl", "io.rdio.hdfs.client.RdioFileSystem");
    return HBase.complete(outage.conf(keys));
  }

  /** As impatient as a test may be. */
  private static Path byStock(Outage outage, HBase hbase) throws IOException {
    Map<String, String> keys = new TreeMap<>(hbase.keys());
    keys.put("dfs.client.retry.window.base", "10");
    return HBase.complete(outage.cluster().addConfFolder("conf-hbase-stock", false, keys));
  }

  private static void write(
      HBase hbase, Path conf, String table, String rows, HBase.RegionServer server)
      throws Exception {
    int status = hbase.run(conf, "write", table, rows, Integer.toString(server.port()));
    assertThat(status).as("see target/hbase-write.log").isZero();
  }

  private static int getByStock(HBase hbase, Path conf) throws Exception {
    return hbase.run(conf, "get", "by-stock", FEW_ROWS);
  }

  private static long bytes(Map<String, Object> counted, String name) {
    return counted.get(name) instanceof Number bytes ? bytes.longValue() : -1;
  }
}
