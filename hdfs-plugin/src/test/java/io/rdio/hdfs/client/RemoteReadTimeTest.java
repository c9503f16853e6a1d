// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.Test;

/** Of reads from other hosts, of which tests on one host have none. */
final class RemoteReadTimeTest {
  @Test
  void countsWholeMilliseconds() {
    FileSystem.Statistics statistics = new FileSystem.Statistics("hdfs");
    RemoteReadTime.add(statistics, 5_999_999);
    RemoteReadTime.add(statistics, 2_000_000);
    assertThat(statistics.getRemoteReadTime()).isEqualTo(7);
  }
}
