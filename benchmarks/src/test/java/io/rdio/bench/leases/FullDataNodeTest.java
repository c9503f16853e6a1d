// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.leases;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.wire.BlockIds;
import io.rdio.core.wire.ProtocolVersion;
import io.rdio.core.wire.proto.BlockRequest;
import io.rdio.core.wire.proto.GrantReply;
import io.rdio.core.wire.proto.GrantRequest;
import io.rdio.hdfs.carried.CallEnd;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The bounds of a DataNode's metadata plane hold without its port. */
class FullDataNodeTest {
  /** That wait or are at work, by default. */
  private static final int ROOM = 256;

  private static final long GRANT_NANOS = TimeUnit.MILLISECONDS.toNanos(8);

  private final VirtualTime time = new VirtualTime();
  private final List<byte[]> answers = new ArrayList<>();
  private final List<CallEnd> refusals = new ArrayList<>();

  private void ask(FullDataNode dataNode, int client) {
    byte[] request =
        GrantRequest.newBuilder()
            .setProtocolVersion(ProtocolVersion.CURRENT)
            .setClientId("client-" + client)
            .addBlocks(BlockRequest.newBuilder().setBlock(BlockIds.encode(ClusterLoad.key(client))))
            .build()
            .toByteArray();
    dataNode.serve(
        ClusterLoad.address(client),
        SimulatedNetwork.SERVICE + "Grant",
        request,
        new OneAnswer(answers::add, refusals::add));
  }

  @Test
  void requestsForWhichThereIsNoRoomAreToldWhenToComeAgain() throws IOException {
    ClusterLoad load = new ClusterLoad(1, 300, 1_000, 10, 0, 0, 1, 1, 1, GRANT_NANOS);
    try (FullDataNode dataNode = new FullDataNode(load, time)) {
      for (int client = 0; client < 300; client++) {
        ask(dataNode, client);
      }
      assertThat(refusals)
          .hasSize(300 - ROOM)
          .allSatisfy(end -> assertThat(end.code()).isEqualTo("RESOURCE_EXHAUSTED"))
          .allSatisfy(end -> assertThat(end.retryAfterMillis()).isPositive());
      assertThat(answers).isEmpty();

      time.pass(GRANT_NANOS);
      assertThat(answers).as("by eight threads").hasSize(8);

      time.pass(GRANT_NANOS * ROOM / 8);
      assertThat(answers).hasSize(ROOM);
      assertThat(GrantReply.parseFrom(answers.get(0)).getBlocks(0).hasFileMap()).isTrue();
      assertThat(dataNode.leases()).isEqualTo(ROOM);
      assertThat(dataNode.takeCosts().of("Grant").units()).isEqualTo(ROOM);
      assertThat(dataNode.takeCosts().of("Grant")).isEqualTo(Cost.NONE);
    }
  }

  @Test
  void itsNextProcessKnowsNoLease() throws IOException {
    ClusterLoad load = new ClusterLoad(1, 10, 1_000, 10, 0, 0, 1, 1, 1, GRANT_NANOS);
    try (FullDataNode dataNode = new FullDataNode(load, time)) {
      ask(dataNode, 0);
      time.pass(GRANT_NANOS);
      assertThat(dataNode.leases()).isEqualTo(1);

      dataNode.stop();
      dataNode.restart();
      assertThat(dataNode.leases()).isZero();
      ask(dataNode, 1);
      time.pass(GRANT_NANOS);
      assertThat(dataNode.leases()).isEqualTo(1);
      assertThat(dataNode.granted()).isEqualTo(1);
    }
  }
}
