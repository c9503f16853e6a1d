// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.grant;

import static io.rdio.core.testing.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rdio.client.counters.ClientCounters;
import io.rdio.client.plane.FileMap;
import io.rdio.client.plane.MapListener;
import io.rdio.client.plane.MapOutcome;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockAsk;
import io.rdio.core.block.BlockKey;
import io.rdio.core.block.TokenedBlock;
import io.rdio.core.wire.ProtocolRange;
import io.rdio.datanode.grant.GrantFixture;
import io.rdio.datanode.server.MetadataServer;
import io.rdio.datanode.server.MetadataServerLimits;
import io.rdio.datanode.server.MetadataServerPolicy;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Clients and DataNodes of different releases, over real sockets. */
final class RollingUpgradeTest {
  private static final Duration LONG = Duration.ofSeconds(20);

  @TempDir Path root;
  private final Queue<FileMap> lost = new ConcurrentLinkedQueue<>();
  private GrantFixture dataNode;
  private MetadataServer server;
  private final WatchedChannels channels = new WatchedChannels();
  private @Nullable MetadataClient client;
  private String endpoint;

  @BeforeEach
  void start() {
    dataNode = new GrantFixture(root);
    dataNode.hdfs.switchTokensOff(); // with tokens a client speaks version 2 or not at all
  }

  @AfterEach
  void stop() {
    if (client != null) {
      client.close();
    }
    channels.close();
    server.close();
  }

  private void serve(int port, int min, int max) throws IOException {
    server =
        MetadataServer.start(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), port),
            new MetadataServerPolicy(
                MetadataServerLimits.of(8), address -> false, new ProtocolRange(min, max)),
            dataNode.service);
    endpoint = "127.0.0.1:" + server.port();
  }

  private void connect(int min, int max) {
    client =
        new MetadataClient(
            settings(min, max), channels, dataNode.nanos::get, new ClientCounters(), new Losses());
  }

  private static MetadataClientSettings settings(int min, int max) {
    return new MetadataClientSettings(
        "client", LONG, LONG, Duration.ofSeconds(2), new ProtocolRange(min, max));
  }

  private final class Losses implements MapListener {
    @Override
    public void lost(FileMap map) {
      lost.add(map);
    }

    @Override
    public void ranOut(FileMap map) {}
  }

  private FileMap grant(BlockKey block) throws FallbackException {
    MapOutcome outcome = client.grant(endpoint, List.of(target(block))).get(0);
    assertThat(outcome.refusal()).isNull();
    return outcome.map();
  }

  private static BlockAsk target(BlockKey block) {
    return new BlockAsk(new TokenedBlock(block));
  }

  @ParameterizedTest(name = "client {0} to {1}, DataNode {2} to {3}")
  @CsvSource({
    "1,2, 1,1, 1",
    "1,1, 1,2, 1",
    "1,2, 1,2, 2",
    "1,2, 2,2, 2",
    "2,2, 1,2, 2",
    "1,1, 1,1, 1",
    "1,2, 1,3, 2",
    "1,3, 1,2, 2",
    "1,3, 1,3, 3",
    "1,1, 1,3, 1",
    "1,3, 3,3, 3"
  })
  void aLeaseLivesFromGrantToReturn(
      int clientMin, int clientMax, int serverMin, int serverMax, int spoken) throws Exception {
    serve(0, serverMin, serverMax);
    connect(clientMin, clientMax);
    assertThat(client.hello(endpoint).protocolVersion()).isEqualTo(spoken);
    BlockKey kept = dataNode.hdfs.write(1, 5000);
    BlockKey deleted = dataNode.hdfs.write(2, 5000);

    FileMap returned = grant(kept);
    FileMap recalled = grant(deleted);
    assertThat(dataNode.links()).hasSize(4);

    long term = returned.guard().remainingNanos(dataNode.nanos.get());
    dataNode.pass(GrantFixture.LEASE_MILLIS / 2);
    returned.guard().touch(dataNode.nanos.get());
    client.tend();
    soon(
        () ->
            assertThat(returned.guard().remainingNanos(dataNode.nanos.get()))
                .as("renewed")
                .isEqualTo(term));

    dataNode.hdfs.delete(deleted);
    soon(
        () -> {
          dataNode.service.sweep();
          assertThat(lost).containsExactly(recalled);
        });
    soon(() -> assertThat(dataNode.links()).hasSize(2));

    client.discard(returned);
    client.tend();
    soon(() -> assertThat(dataNode.links()).isEmpty());
    assertThat(dataNode.service.leaseCount()).isZero();
  }

  private static void soon(org.awaitility.core.ThrowingRunnable assertion) {
    await().untilAsserted(assertion);
  }

  @ParameterizedTest(name = "client {0} to {1}, DataNode {2} to {3}")
  @CsvSource({"1,1, 2,2", "2,2, 1,1", "1,2, 3,4", "3,4, 1,2"})
  void endsWithoutACommonVersionNameBothRanges(
      int clientMin, int clientMax, int serverMin, int serverMax) throws Exception {
    serve(0, serverMin, serverMax);
    connect(clientMin, clientMax);
    BlockKey block = dataNode.hdfs.write(1, 5000);

    FallbackException refusal = catchThrowableOfType(FallbackException.class, () -> grant(block));

    assertThat(refusal.reason()).isEqualTo(FallbackReason.PROTOCOL_MISMATCH);
    assertThat(refusal.detail())
        .contains(new ProtocolRange(clientMin, clientMax).toString())
        .contains(new ProtocolRange(serverMin, serverMax).toString());
    assertThat(dataNode.links()).isEmpty();
  }

  @ParameterizedTest(name = "DataNode {0}, then {1}")
  @CsvSource({"2, 1", "1, 2", "2, 3", "3, 2"})
  void dataNodeIsReplacedUnderAClient(int before, int after) throws Exception {
    serve(0, before, before);
    connect(1, 3);
    grant(dataNode.hdfs.write(1, 5000));
    int port = server.port();

    server.close();
    channels.awaitDisconnected();
    dataNode.start(GrantFixture.CONFIG);
    serve(port, after, after);

    assertThat(GrantOrigin.of(grant(dataNode.hdfs.write(2, 5000))).incarnation())
        .isEqualTo(dataNode.service.incarnation());
  }

  @Test
  void clientSpeaksTheNewerVersionOnceItsDataNodeIsUpgraded() throws Exception {
    serve(0, 1, 1);
    GrantContext context =
        new GrantContext(settings(1, 2), dataNode.nanos::get, new ClientCounters(), () -> 1);
    DataNodeChannel channel = new DataNodeChannel(new PlaneConnection(endpoint, channels), context);
    DataNodeSession session = new DataNodeSession(channel, context, new Losses());
    try {
      session.grant(List.of(target(dataNode.hdfs.write(1, 5000))));
      assertThat(channel.prepare(channel.patience())).isEqualTo(1);

      int port = server.port();
      server.close();
      channels.awaitDisconnected();
      dataNode.start(GrantFixture.CONFIG);
      serve(port, 1, 2);
      session.grant(List.of(target(dataNode.hdfs.write(2, 5000))));

      assertThat(channel.prepare(channel.patience())).isEqualTo(2);
    } finally {
      session.close();
      channel.shutdownNow();
    }
  }
}
