// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.testbed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import org.junit.jupiter.api.Test;

class TrafficTest {
  @Test
  void figuresAreOfTheTimeBetweenTwoReadings() {
    Traffic traffic = new Traffic(300, 40, 5).since(new Traffic(100, 20, 5));

    assertThat(traffic).isEqualTo(new Traffic(200, 20, 0));
    assertThat(traffic.total()).isEqualTo(220);
  }

  @Test
  void jsonHasBytesForEachByteRead() {
    assertThat(new Traffic(200, 20, 1).perByte(100))
        .containsExactly(
            entry("storage_to_datanode", 2.0),
            entry("datanode_to_client", 0.2),
            entry("storage_to_client", 0.01),
            entry("total", 2.21));
  }
}
