// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.namenode;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hdfs.DFSClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How long clients of NameNodes are kept. None of these NameNodes is asked anything. */
final class NameNodesTest {
  private long nanos;
  private final NameNodes nameNodes = new NameNodes(Duration.ofSeconds(1), () -> nanos);

  private DFSClient client(int port) throws Exception {
    return nameNodes.patient(URI.create("hdfs://127.0.0.1:" + port));
  }

  @AfterEach
  void close() {
    nameNodes.close();
  }

  @Test
  void clientIsKeptWhileItIsUsed() throws Exception {
    DFSClient client = client(1);
    for (int i = 0; i < 3; i++) {
      nanos += Duration.ofMinutes(50).toNanos();
      assertThat(client(1)).isSameAs(client);
    }
    client(2);
    assertThat(client.isClientRunning()).isTrue();
    nanos += Duration.ofMinutes(70).toNanos();
    client(3);
    assertThat(client.isClientRunning()).isFalse();
    assertThat(client(1)).isNotSameAs(client);
  }

  @Test
  void impatientClientIsAnotherOne() throws Exception {
    URI nameservice = URI.create("hdfs://127.0.0.1:1");
    assertThat(nameNodes.impatient(nameservice)).isNotSameAs(nameNodes.patient(nameservice));
  }

  @Test
  void oneThatWasIdleLongestMakesRoom() throws Exception {
    List<DFSClient> clients = new ArrayList<>();
    for (int i = 0; i < NameNodes.MAX_CLIENTS; i++) {
      nanos++;
      clients.add(client(1 + i));
    }
    assertThat(clients).allMatch(DFSClient::isClientRunning);
    nanos++;
    client(1);
    client(1 + NameNodes.MAX_CLIENTS);
    assertThat(clients.get(0).isClientRunning()).isTrue();
    assertThat(clients.get(1).isClientRunning()).isFalse();
    assertThat(clients.subList(2, clients.size())).allMatch(DFSClient::isClientRunning);
  }

  @Test
  void closeClosesAll() throws Exception {
    DFSClient client = client(1);
    nameNodes.close();
    assertThat(client.isClientRunning()).isFalse();
  }
}
