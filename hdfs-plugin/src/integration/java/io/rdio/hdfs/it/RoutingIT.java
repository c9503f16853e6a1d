// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.it;

import static io.rdio.hdfs.cluster.Shape.PLAIN_EXT4;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.client.counters.ClientCounters;
import io.rdio.hdfs.RdioConfigKeys;
import io.rdio.hdfs.client.direct.RdioClientContext;
import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.cluster.SharedClusters;
import io.rdio.hdfs.cluster.Shares;
import java.io.IOException;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Reads by the device and by a DataNode in turn, as routing finds them: the same bytes. */
@Tag("loop")
@Shares(PLAIN_EXT4)
class RoutingIT {
  private static final int BLOCK = 4 << 20;
  private static final int READS = 20_000;

  private static Cluster cluster;
  private static FileSystem stock;

  @BeforeAll
  static void start(SharedClusters clusters) throws IOException {
    cluster = clusters.of(PLAIN_EXT4);
    Configuration conf = cluster.clientConf(false);
    conf.setInt("dfs.blocksize", BLOCK);
    stock = FileSystem.newInstance(conf);
  }

  @AfterAll
  static void stop() throws IOException {
    if (stock != null) {
      stock.close();
    }
  }

  @Test
  void bothWaysAreTriedAndGiveTheFile() throws IOException {
    SeededFile file = SeededFile.write(stock, "/f", 3 * BLOCK + 1000, 1);
    ClientCounters counters = RdioClientContext.counters();
    long probes = counters.routeProbes.sum();
    long byRdio = counters.rdioBytes.sum();
    long byStock = counters.stockBytes.sum();
    Configuration conf = cluster.clientConf(true);
    conf.set(RdioConfigKeys.CLIENT_ROUTING.name(), "true");
    Random random = new Random(1);
    long bytes = 0;
    try (FileSystem rdio = FileSystem.newInstance(conf);
        FSDataInputStream in = rdio.open(file.path())) {
      for (int i = 0; i < READS; i++) {
        byte[] got = new byte[1 + random.nextInt(4096)];
        int from = random.nextInt(file.bytes().length - got.length);
        in.readFully(from, got);
        file.check(from, got);
        bytes += got.length;
      }
      for (int i = 0; i < 20; i++) {
        in.seek(0);
        file.check(0, in.readNBytes(file.bytes().length));
        bytes += file.bytes().length;
      }
    } finally {
      RdioClientContext.get(conf).close();
    }
    byRdio = counters.rdioBytes.sum() - byRdio;
    byStock = counters.stockBytes.sum() - byStock;
    assertThat(counters.routeProbes.sum() - probes).isPositive();
    assertThat(byStock).isPositive();
    assertThat(byRdio).isPositive();
    assertThat(byRdio + byStock).isEqualTo(bytes);
  }
}
