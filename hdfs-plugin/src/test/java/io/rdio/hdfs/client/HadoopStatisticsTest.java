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
    JobCounter.add(1);
    assertThat(FileSystem.getAllStatistics()).noneMatch(all -> all.getScheme().equals("rdio"));
    JobCounter.begin();
    JobCounter.begin();
    JobCounter.add(100);
    JobCounter.add(20);
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
