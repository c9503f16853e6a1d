// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.server;

import static io.rdio.core.testing.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.rdio.core.block.BlockKey;
import io.rdio.core.wire.ProtocolVersion;
import io.rdio.core.wire.proto.BlockId;
import io.rdio.core.wire.proto.BlockRequest;
import io.rdio.core.wire.proto.GrantRequest;
import io.rdio.core.wire.proto.HelloReply;
import io.rdio.core.wire.proto.HelloRequest;
import io.rdio.core.wire.proto.MetadataPlaneGrpc;
import io.rdio.core.wire.proto.RecallsRequest;
import io.rdio.datanode.grant.FakeHdfs;
import io.rdio.datanode.grant.GrantFaultInjector;
import io.rdio.datanode.grant.GrantFixture;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One address takes all that it can get; another one is served all the same. */
final class AddressLimitsTest {
  private static final int CONNECTIONS = 3;
  private static final int CALLS = 2 * CONNECTIONS;
  private static final String GREEDY = "127.0.0.2";
  private static final String MODEST = "127.0.0.3";
  private static final HelloRequest HELLO = HelloRequest.getDefaultInstance();

  @TempDir Path root;
  private GrantFixture fixture;
  private MetadataServer server;
  private GreedyClient greedy;
  private GreedyClient modest;

  @BeforeEach
  void start() throws IOException {
    fixture = new GrantFixture(root);
    serve(limits(CONNECTIONS, Duration.ofMinutes(1), Duration.ofMinutes(1)));
  }

  private static MetadataServerLimits limits(int connections, Duration handshake, Duration idle) {
    return new MetadataServerLimits(4096, connections, 4096, 256, 1024, 200, handshake, idle);
  }

  private void serve(MetadataServerLimits limits) throws IOException {
    server =
        MetadataServer.start(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            MetadataServerPolicy.of(limits),
            fixture.service);
    greedy = new GreedyClient(GREEDY, server.port());
    modest = new GreedyClient(MODEST, server.port());
  }

  @AfterEach
  void stop() {
    GrantFaultInjector.set(new GrantFaultInjector());
    greedy.close();
    modest.close();
    server.close();
  }

  private static ConditionFactory soon() {
    return await();
  }

  private static HelloReply hello(ManagedChannel channel) {
    return MetadataPlaneGrpc.newBlockingStub(channel)
        .withDeadlineAfter(10, TimeUnit.SECONDS)
        .hello(HELLO);
  }

  private void assertModestIsServed() {
    assertThat(modest.call(MetadataPlaneGrpc.getHelloMethod(), HELLO.toByteArray()).isOk())
        .isTrue();
  }

  @Test
  void connectionsBeyondTheShareAreClosedAndCounted() throws IOException {
    List<Socket> sockets = new ArrayList<>();
    try {
      for (int i = 0; i < CONNECTIONS; i++) {
        sockets.add(socket());
      }
      try (Socket tooMany = socket()) {
        tooMany.setSoTimeout(60_000);
        assertThat(endOf(tooMany)).isTrue();
      }
      assertThat(server.connectionsRefused()).isEqualTo(1);
      assertModestIsServed();
    } finally {
      for (Socket socket : sockets) {
        socket.close();
      }
    }
    // What was closed is free again.
    soon().untilAsserted(() -> assertThat(hello(greedy.connect()).getIncarnation()).isNotZero());
  }

  private Socket socket() throws IOException {
    return new Socket(
        InetAddress.getLoopbackAddress(), server.port(), InetAddress.getByName(GREEDY), 0);
  }

  /** Whether the other side closed it, with or without a reset. */
  private static boolean endOf(Socket socket) {
    try {
      InputStream in = socket.getInputStream();
      while (in.read() >= 0) {
        // What the server says before.
      }
      return true;
    } catch (SocketTimeoutException e) {
      return false;
    } catch (IOException e) {
      return true;
    }
  }

  @Test
  void connectionThatSaysNothingIsClosed() throws IOException {
    stop();
    serve(limits(CONNECTIONS, Duration.ofMillis(200), Duration.ofMillis(200)));
    try (Socket silent = socket()) {
      silent.setSoTimeout(60_000);
      assertThat(endOf(silent)).isTrue();
    }
  }

  @Test
  void connectionWithoutACallIsClosed() throws IOException {
    stop();
    serve(limits(1, Duration.ofMinutes(1), Duration.ofMillis(200)));
    hello(greedy.connect());
    // There is room for one connection only: this one gets through once the first is closed.
    soon()
        .ignoreExceptions()
        .untilAsserted(() -> assertThat(hello(greedy.connect()).getIncarnation()).isNotZero());
  }

  @Test
  void streamsOfRecallsUnderEverNewNamesAreBounded() {
    for (int i = 0; i < 3 * CALLS; i++) {
      byte[] request = RecallsRequest.newBuilder().setClientId("name" + i).build().toByteArray();
      greedy.openCall(MetadataPlaneGrpc.getRecallsMethod(), request).halfClose();
    }

    soon().until(() -> greedy.refusals.size() == 2 * CALLS);
    assertThat(greedy.refusals)
        .allSatisfy(
            status -> {
              assertThat(status.getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
              assertThat(status.getDescription())
                  .contains(GREEDY)
                  .contains("at most " + CALLS + " of one address");
            });
    soon().until(() -> server.badRequests() == 2 * CALLS);
    assertModestIsServed();

    greedy.close();
    GreedyClient again = new GreedyClient(GREEDY, server.port());
    greedy = again;
    soon().until(() -> again.call(MetadataPlaneGrpc.getHelloMethod(), HELLO.toByteArray()).isOk());
  }

  @Test
  void callsLeftOpenOnManyConnectionsAreBounded() {
    byte[] request = HELLO.toByteArray();
    for (int i = 0; i < CONNECTIONS; i++) {
      greedy.connect();
      for (int j = 0; j < CALLS; j++) {
        greedy.openCall(MetadataPlaneGrpc.getHelloMethod(), request);
      }
    }

    soon().until(() -> greedy.refusals.size() == (CONNECTIONS - 1) * CALLS);
    assertModestIsServed();
  }

  @Test
  void secondRequestInACallEndsIt() {
    byte[] request = HELLO.toByteArray();
    var call = greedy.openCall(MetadataPlaneGrpc.getHelloMethod(), request);
    call.sendMessage(request);
    call.halfClose();

    soon().until(() -> greedy.refusals.size() == 1);
    assertModestIsServed();
  }

  @Test
  void grantsOfOneAddressLeaveRoomForOthers() throws IOException {
    stop();
    serve(MetadataServerLimits.of(100));
    int held = MetadataServerLimits.GRANTS_PER_ADDRESS;
    BlockKey block = fixture.hdfs.write(1, 100);
    CountDownLatch slowDisk = new CountDownLatch(1);
    GrantFaultInjector.set(
        new GrantFaultInjector() {
          @Override
          public void beforeLink(BlockKey unused) {
            try {
              slowDisk.await();
            } catch (InterruptedException e) {
              throw new IllegalStateException(e);
            }
          }
        });
    try {
      for (int i = 0; i < held + 10; i++) {
        if (i % MetadataServerLimits.CALLS_PER_CONNECTION == 0) {
          greedy.connect();
        }
        greedy.openCall(MetadataPlaneGrpc.getGrantMethod(), grant(block)).halfClose();
      }
      soon().until(() -> greedy.refusals.size() == 10);
      assertThat(greedy.refusals)
          .extracting(Status::getCode)
          .containsOnly(Status.Code.RESOURCE_EXHAUSTED);
    } finally {
      slowDisk.countDown();
    }
    assertThat(modest.call(MetadataPlaneGrpc.getGrantMethod(), grant(block)).isOk()).isTrue();
  }

  private static byte[] grant(BlockKey block) {
    return GrantRequest.newBuilder()
        .setProtocolVersion(ProtocolVersion.CURRENT)
        .setClientId("client")
        .addBlocks(
            BlockRequest.newBuilder()
                .setBlock(
                    BlockId.newBuilder()
                        .setPoolId(block.poolId())
                        .setBlockId(block.blockId())
                        .setGenerationStamp(block.generationStamp()))
                .setToken(ByteString.copyFrom(FakeHdfs.TOKEN)))
        .build()
        .toByteArray();
  }

  @Test
  void requestThatIsTooLargeIsRefusedAndCounted() {
    byte[] large = new byte[MetadataServerLimits.MESSAGE_BYTES_MAX + 1];

    assertThat(greedy.call(MetadataPlaneGrpc.getGrantMethod(), large).getCode())
        .isEqualTo(Status.Code.RESOURCE_EXHAUSTED);

    soon().until(() -> server.badRequests() == 1);
  }

  @Test
  void garbageIsCounted() {
    assertThat(greedy.call(MetadataPlaneGrpc.getGrantMethod(), new byte[] {-1, -1}).getCode())
        .isEqualTo(Status.Code.INVALID_ARGUMENT);

    soon().until(() -> server.badRequests() == 1);
  }
}
