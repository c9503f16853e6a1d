// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PortsTest {
  /** A client believes in the last cluster's connection for seconds; by chance it would soon. */
  @Test
  void aPortComesAgainOnlyAfterHundreds() throws IOException {
    Set<Integer> seen = new HashSet<>();
    for (int cluster = 0; cluster < 30; cluster++) {
      Set<Integer> taken = new HashSet<>();
      for (int i = 0; i < 10; i++) {
        assertThat(seen.add(Ports.free(taken))).as("new port").isTrue();
      }
    }
  }
}
