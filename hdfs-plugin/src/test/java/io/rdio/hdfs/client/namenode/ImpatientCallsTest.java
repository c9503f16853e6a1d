// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.namenode;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.DFSClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** However patient the application's own client is. */
class ImpatientCallsTest {
  @Test
  @Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void nameNodeThatIsDownIsGivenUpAtOnce() throws IOException {
    Configuration patient = new Configuration();
    patient.setBoolean("dfs.client.retry.policy.enabled", true);
    URI down = URI.create("hdfs://127.0.0.1:" + closedPort());
    try (DFSClient client =
        new DFSClient(down, ImpatientCalls.configure(patient, Duration.ofSeconds(1)))) {
      assertThatThrownBy(() -> client.getLocatedBlocks("/file", 0)).isInstanceOf(IOException.class);
    }
  }

  private static int closedPort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }
}
