// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.server;

import static io.rdio.core.testing.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.util.concurrent.ListenableFuture;
import com.google.common.util.concurrent.Uninterruptibles;
import io.grpc.ClientCall;
import io.grpc.Status;
import io.rdio.core.block.BlockKey;
import io.rdio.core.wire.RetryAfter;
import io.rdio.core.wire.proto.HelloReply;
import io.rdio.core.wire.proto.HelloRequest;
import io.rdio.core.wire.proto.ListLeasesReply;
import io.rdio.core.wire.proto.ListLeasesRequest;
import io.rdio.core.wire.proto.MetadataPlaneGrpc;
import io.rdio.core.wire.proto.Recall;
import io.rdio.core.wire.proto.RecallsRequest;
import io.rdio.datanode.grant.GrantFixture;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The bounds of the whole DataNode, which many addresses reach together. */
final class ServerBoundsTest {
  private static final int CONNECTIONS = 5;
  private static final int STREAMS = 4;
  private static final int RESETS = 50;
  private static final byte[] HELLO = HelloRequest.getDefaultInstance().toByteArray();

  @TempDir Path root;
  private final List<GreedyClient> clients = new ArrayList<>();
  private GrantFixture dataNode;
  private MetadataServer server;

  @BeforeEach
  void start() throws IOException {
    dataNode = new GrantFixture(root);
    serve(1024);
  }

  private void serve(int callsQueued) throws IOException {
    MetadataServerLimits limits =
        new MetadataServerLimits(
            CONNECTIONS,
            CONNECTIONS,
            STREAMS,
            256,
            callsQueued,
            RESETS,
            Duration.ofMinutes(1),
            Duration.ofMinutes(1));
    server =
        MetadataServer.start(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            MetadataServerPolicy.of(limits),
            dataNode.service);
  }

  @AfterEach
  void stop() {
    clients.forEach(GreedyClient::close);
    server.close();
  }

  private GreedyClient client(int address) {
    GreedyClient client = new GreedyClient("127.0.1." + address, server.port());
    clients.add(client);
    return client;
  }

  private static ConditionFactory soon() {
    return await();
  }

  private static byte[] recalls(String clientId) {
    return RecallsRequest.newBuilder().setClientId(clientId).build().toByteArray();
  }

  private static ClientCall<byte[], byte[]> subscribe(GreedyClient client, String clientId) {
    ClientCall<byte[], byte[]> call =
        client.openCall(MetadataPlaneGrpc.getRecallsMethod(), recalls(clientId));
    call.halfClose();
    return call;
  }

  @Test
  void connectionsOfAllAddressesTogetherAreBounded() throws IOException {
    List<Socket> sockets = new ArrayList<>();
    try {
      for (int i = 0; i < CONNECTIONS + 3; i++) {
        sockets.add(
            new Socket(
                InetAddress.getLoopbackAddress(),
                server.port(),
                InetAddress.getByName("127.0.2." + (i + 1)),
                0));
      }
      soon().until(() -> server.connectionsRefused() == 3);
    } finally {
      for (Socket socket : sockets) {
        socket.close();
      }
    }
    soon().until(() -> client(1).call(MetadataPlaneGrpc.getHelloMethod(), HELLO).isOk());
  }

  @Test
  void clientHasOneStreamOfRecallsWhichIsItsLast() {
    GreedyClient client = client(1);
    for (int i = 0; i < 8; i++) {
      subscribe(client, "client");
    }

    soon().until(() -> client.refusals.size() == 7);
    assertThat(client.refusals).extracting(Status::getCode).containsOnly(Status.Code.ABORTED);
  }

  @Test
  void recallsComeOnTheLastStream() throws Exception {
    BlockKey block = dataNode.hdfs.write(1, 100);
    long lease = dataNode.lease("client", block);
    GreedyClient client = client(1);
    subscribe(client, "client");
    dataNode.hdfs.delete(block);
    dataNode.service.sweep();

    byte[] recall = client.firstAnswer(MetadataPlaneGrpc.getRecallsMethod(), recalls("client"));

    assertThat(Recall.parseFrom(recall).getLeaseIdsList()).containsExactly(lease);
  }

  @Test
  void streamsOfRecallsOfAllClientsAreBounded() {
    List<ClientCall<byte[], byte[]>> open = new ArrayList<>();
    for (int i = 0; i < STREAMS; i++) {
      GreedyClient client = client(i + 1);
      open.add(subscribe(client, "client" + i));
      // Answered by the same two threads, so the stream is open by then.
      client.call(MetadataPlaneGrpc.getHelloMethod(), HELLO);
    }
    GreedyClient late = client(STREAMS + 1);
    soon()
        .untilAsserted(
            () ->
                assertThat(
                        late.call(MetadataPlaneGrpc.getRecallsMethod(), recalls("late")).getCode())
                    .isEqualTo(Status.Code.RESOURCE_EXHAUSTED));

    open.get(0).cancel("enough", null);
    // Of two streams that were let in, the second ends the first.
    soon()
        .untilAsserted(
            () -> {
              subscribe(late, "late");
              assertThat(late.refusals).extracting(Status::getCode).contains(Status.Code.ABORTED);
            });
  }

  @Test
  void connectionOnWhichCallsAreBrokenOffRapidlyIsClosed() {
    GreedyClient client = client(1);
    subscribe(client, "client");
    client.call(MetadataPlaneGrpc.getHelloMethod(), HELLO);
    assertThat(client.refusals).isEmpty();

    for (int i = 0; i < 2 * RESETS; i++) {
      client.openCall(MetadataPlaneGrpc.getHelloMethod(), HELLO).cancel("no more interested", null);
    }

    soon()
        .untilAsserted(
            () ->
                assertThat(client.refusals)
                    .as("the end of the stream of recalls")
                    .anyMatch(status -> status.getCode() != Status.Code.CANCELLED));
    assertThat(client(2).call(MetadataPlaneGrpc.getHelloMethod(), HELLO).isOk()).isTrue();
  }

  @Test
  void leasesAreListedInPages() throws Exception {
    for (int id = 1; id <= 25; id++) {
      dataNode.lease("client", dataNode.hdfs.write(id, 10));
    }
    GreedyClient client = client(1);
    List<Long> blocks = new ArrayList<>();
    List<Integer> pages = new ArrayList<>();
    long after = 0;
    do {
      ListLeasesReply page =
          ListLeasesReply.parseFrom(
              client.firstAnswer(
                  MetadataPlaneGrpc.getListLeasesMethod(),
                  ListLeasesRequest.newBuilder().setAfter(after).setMax(10).build().toByteArray()));
      page.getLeasesList().forEach(lease -> blocks.add(lease.getBlock().getBlockId()));
      pages.add(page.getLeasesCount());
      after = page.getNext();
    } while (after != 0);

    assertThat(pages).containsExactly(10, 10, 5);
    assertThat(blocks).hasSize(25).doesNotHaveDuplicates();
  }

  @Test
  void callsThatFindNoThreadWaitAndNoneIsLost() throws Exception {
    server.close();
    serve(1);
    CountDownLatch busy = new CountDownLatch(1);
    AtomicInteger held = new AtomicInteger();
    dataNode.hdfs.beforeUuid =
        () -> {
          held.incrementAndGet();
          Uninterruptibles.awaitUninterruptibly(busy);
        };
    List<ListenableFuture<HelloReply>> greetings = new ArrayList<>();
    try {
      // One after the other, so that it is the threads for calls which are busy.
      greetings.addAll(greet(client(1), 1));
      soon().until(() -> held.get() == 1);
      greetings.addAll(greet(client(2), 1));
      soon().until(() -> held.get() == 2);
      greetings.addAll(greet(client(3), 3 * CONNECTIONS));
      greetings.addAll(greet(client(4), 3 * CONNECTIONS));
      // The network's thread serves what found no room, and reads nothing more meanwhile.
      soon().until(() -> held.get() == 3);
      for (ListenableFuture<HelloReply> greeting : greetings) {
        assertThat(greeting.isDone() && isServed(greeting)).isFalse();
      }
    } finally {
      busy.countDown();
    }

    int served = 0;
    for (ListenableFuture<HelloReply> greeting : greetings) {
      served += isServed(greeting) ? 1 : 0;
    }
    assertThat(served).isGreaterThanOrEqualTo(2 * CONNECTIONS);
  }

  private static List<ListenableFuture<HelloReply>> greet(GreedyClient client, int times) {
    MetadataPlaneGrpc.MetadataPlaneFutureStub stub =
        MetadataPlaneGrpc.newFutureStub(client.connect()).withDeadlineAfter(60, TimeUnit.SECONDS);
    List<ListenableFuture<HelloReply>> greetings = new ArrayList<>();
    for (int i = 0; i < times; i++) {
      greetings.add(stub.hello(HelloRequest.getDefaultInstance()));
    }
    return greetings;
  }

  /** Or else refused, as a call beyond those that an address may have at a time, waiting or not. */
  private static boolean isServed(ListenableFuture<HelloReply> greeting)
      throws InterruptedException {
    try {
      assertThat(greeting.get().getIncarnation()).isNotZero();
      return true;
    } catch (ExecutionException e) {
      assertThat(Status.fromThrowable(e).getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
      assertThat(RetryAfter.isSaidBy(e.getCause())).isTrue();
      return false;
    }
  }
}
