// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.StorageStatistics;
import org.junit.jupiter.api.Test;

/** What of RDIO's counters others find where Hadoop keeps its own. */
class HadoopStatisticsTest {
  @Test
  void storageStatisticsAreTheMetrics() {
    RdioClientMetrics.register();
    StorageStatistics statistics = RdioStorageStatistics.of("RdioClient");
    assertThat(statistics).isNotNull();
    JvmCounters.READS.rdioBytes.add(17);
    long bytes = JvmCounters.READS.rdioBytes.sum();
    assertThat(statistics.getLong("RdioBytes")).isEqualTo(bytes);
    assertThat(statistics.isTracked("RdioBytes")).isTrue();
    assertThat(statistics.isTracked("bytesRead")).isFalse();
    assertThat(statistics.getLong("bytesRead")).isNull();
    assertThat(statistics.getLongStatistics())
        .toIterable()
        .filteredOn(each -> each.getName().equals("RdioBytes"))
        .singleElement()
        .satisfies(found -> assertThat(found.getValue()).isEqualTo(bytes));
  }

  @Test
  @SuppressWarnings("deprecation") // as MapReduce asks
  void jobCounterIsThatOfAFileSystemOnceItIsBegun() {
    FakeWay way = new FakeWay(new byte[0]);
    JobCounter.add(way, 1);
    assertThat(way.asked).as("whether it is by the device, before anybody counts").hasValue(0);
    assertThat(FileSystem.getAllStatistics()).noneMatch(all -> all.getScheme().equals("rdio"));
    JobCounter.begin();
    JobCounter.begin();
    JobCounter.add(way, 100);
    JobCounter.add(way, 20);
    way.byDevice = false;
    JobCounter.add(way, 3);
    assertThat(FileSystem.getAllStatistics())
        .filteredOn(all -> all.getScheme().equals("rdio"))
        .singleElement()
        .satisfies(
            all -> {
              assertThat(all.getBytesRead()).isEqualTo(120);
              assertThat(all.getReadOps()).isEqualTo(2);
            });
  }
}
