// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.grant;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import io.grpc.ConnectivityState;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.StreamObserver;
import io.rdio.client.counters.ClientCounters;
import io.rdio.client.plane.FileMap;
import io.rdio.client.plane.MapListener;
import io.rdio.client.plane.MapOutcome;
import io.rdio.core.block.BlockAsk;
import io.rdio.core.block.BlockKey;
import io.rdio.core.block.TokenedBlock;
import io.rdio.core.wire.BlockIds;
import io.rdio.core.wire.GrantProof;
import io.rdio.core.wire.SessionProof;
import io.rdio.core.wire.proto.GrantRequest;
import io.rdio.core.wire.proto.MetadataPlaneGrpc;
import io.rdio.core.wire.proto.OpenSessionRequest;
import io.rdio.core.wire.proto.Recall;
import io.rdio.core.wire.proto.RecallsRequest;
import io.rdio.core.wire.proto.RenewRequest;
import io.rdio.core.wire.proto.ReturnRequest;
import io.rdio.core.wire.proto.SessionAuth;
import io.rdio.datanode.grant.GrantFixture;
import io.rdio.datanode.server.MetadataServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Whose leases they are: several clients of one DataNode, some of which know what they should not.
 */
final class SessionOwnershipTest {
  private static final String CLIENT = "client";
  private static final String ENDPOINT = "datanode:9860";
  private static final Duration LONG = Duration.ofSeconds(20);
  private static final byte[] USER_A = "\6tokenA\7secretA\0\0".getBytes(US_ASCII);
  private static final byte[] USER_B = "\6tokenB\7secretB\0\0".getBytes(US_ASCII);

  @TempDir Path root;
  private final List<FileMap> lost = new CopyOnWriteArrayList<>();
  private GrantFixture dataNode;
  private MetadataServer server;
  private ManagedChannel channel;
  private ImpostorPlane victimsPlane;
  private MetadataClient victim;
  private FileMap map;

  @BeforeEach
  void start() throws Exception {
    dataNode = new GrantFixture(root);
    serve(0);
    channel = NettyChannelBuilder.forAddress("127.0.0.1", server.port()).usePlaintext().build();
    victimsPlane = new ImpostorPlane(channel);
    victim =
        new MetadataClient(
            new MetadataClientSettings(CLIENT, LONG, LONG, Duration.ofSeconds(2)),
            victimsPlane,
            dataNode.nanos::get,
            new ClientCounters(),
            new MapListener() {
              @Override
              public void lost(FileMap ended) {
                lost.add(ended);
              }

              @Override
              public void ranOut(FileMap ended) {}
            });
    map = grant(dataNode.hdfs.write(1, 5000), USER_A);
  }

  private void serve(int port) throws Exception {
    server =
        MetadataServer.start(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 8, dataNode.service);
  }

  @AfterEach
  void stop() throws InterruptedException {
    victim.close();
    channel.shutdownNow().awaitTermination(5, TimeUnit.SECONDS);
    server.close();
  }

  private FileMap grant(BlockKey block, byte[] token) throws Exception {
    MapOutcome outcome =
        victim.grant(ENDPOINT, List.of(new BlockAsk(new TokenedBlock(block, token)))).get(0);
    assertThat(outcome.refusal()).isNull();
    return Objects.requireNonNull(outcome.map());
  }

  private MetadataPlaneGrpc.MetadataPlaneBlockingStub attacker() {
    return MetadataPlaneGrpc.newBlockingStub(channel).withDeadlineAfter(20, TimeUnit.SECONDS);
  }

  private SessionAuth victimsAuth() {
    List<GrantRequest> seen = victimsPlane.requests(GrantRequest.class);
    return seen.get(seen.size() - 1).getAuth();
  }

  /** A session of who has a token of his own, and calls himself as the victim does. */
  private SessionProof attackersSession() throws Exception {
    GrantProof token = GrantProof.ofPassword("secretB".getBytes(US_ASCII));
    OpenSessionRequest unproved =
        OpenSessionRequest.newBuilder()
            .setClientId(CLIENT)
            .setNonce(GrantProof.newNonce())
            .setBlock(BlockIds.encode(map.block()))
            .setTokenIdentifier(ByteString.copyFrom("tokenB", US_ASCII))
            .build();
    OpenSessionRequest request = unproved.toBuilder().setProof(token.ofOpening(unproved)).build();
    var statement =
        io.rdio.core.wire.proto.SessionStatement.parseFrom(
            attacker().openSession(request).getSession().getStatement());
    byte[] key =
        token.seal(request, statement.getSessionId(), statement.getSealedKey().toByteArray());
    return SessionProof.ofKey(key, CLIENT, statement.getIncarnation(), statement.getSessionId());
  }

  private List<SessionAuth> forgeries(SessionProof.Call call) throws Exception {
    List<Long> ids = List.of(Lease.of(map).id());
    SessionAuth attackers = attackersSession().auth(call, GrantProof.newNonce(), ids);
    return List.of(
        SessionAuth.getDefaultInstance(), // left out
        victimsAuth(),
        victimsAuth().toBuilder().setProof(attackers.getProof()).build(),
        attackers,
        attackers.toBuilder().setSessionId(victimsAuth().getSessionId()).build());
  }

  @Test
  void nobodyElseRenewsALease() throws Exception {
    for (SessionAuth auth : forgeries(SessionProof.Call.RENEW)) {
      RenewRequest.Builder request =
          RenewRequest.newBuilder()
              .setClientId(CLIENT)
              .setIncarnation(dataNode.service.incarnation())
              .addLeaseIds(Lease.of(map).id());
      if (!auth.equals(SessionAuth.getDefaultInstance())) {
        request.setAuth(auth);
      }
      assertThat(attacker().renew(request.build()).getLeaseMillisList()).containsExactly(0L);
    }
  }

  @Test
  void nobodyElseReturnsALease() throws Exception {
    for (SessionAuth auth : forgeries(SessionProof.Call.RETURN)) {
      ReturnRequest.Builder request =
          ReturnRequest.newBuilder()
              .setClientId(CLIENT)
              .setIncarnation(dataNode.service.incarnation())
              .addLeaseIds(Lease.of(map).id());
      if (!auth.equals(SessionAuth.getDefaultInstance())) {
        request.setAuth(auth);
      }
      attacker().return_(request.build());
    }
    assertThat(dataNode.links()).hasSize(2);
    assertThat(dataNode.service.leaseCount()).isEqualTo(1);
  }

  @Test
  void returnOfALeaseIsNoRenewalOfIt() throws Exception {
    victim.discard(map);
    victim.tend();
    ReturnRequest seen = victimsPlane.requests(ReturnRequest.class).get(0);
    FileMap again = grant(map.block(), USER_A);

    attacker().return_(seen); // once more
    attacker().return_(seen.toBuilder().setLeaseIds(0, Lease.of(again).id()).build());

    assertThat(dataNode.service.leaseCount()).as("ids are never used again").isEqualTo(1);
  }

  @Test
  void anotherSessionOfTheSameClientIdTakesNothingAway() throws Exception {
    attackersSession();
    long term = map.guard().remainingNanos(dataNode.nanos.get());
    dataNode.pass(GrantFixture.LEASE_MILLIS / 2);
    map.guard().touch(dataNode.nanos.get());
    victim.tend();
    assertThat(map.guard().remainingNanos(dataNode.nanos.get())).isEqualTo(term);
  }

  @Test
  void clientIdThatLooksLikeASessionIsRefused() {
    String name = CLIENT + "\n" + "00".repeat(16);
    RenewRequest request = RenewRequest.newBuilder().setClientId(name).build();

    assertThat(
            org.assertj.core.api.Assertions.catchThrowableOfType(
                    StatusRuntimeException.class, () -> attacker().renew(request))
                .getStatus()
                .getCode())
        .isEqualTo(io.grpc.Status.Code.INVALID_ARGUMENT);
  }

  @Test
  void recallsGoToTheSessionWhoeverTakesTheClientsName() throws Exception {
    List<Throwable> ended = new CopyOnWriteArrayList<>();
    List<Long> stolen = new CopyOnWriteArrayList<>();
    StreamObserver<Recall> thief =
        new StreamObserver<>() {
          @Override
          public void onNext(Recall recall) {
            stolen.addAll(recall.getLeaseIdsList());
          }

          @Override
          public void onError(Throwable error) {
            ended.add(error);
          }

          @Override
          public void onCompleted() {}
        };
    MetadataPlaneGrpc.newStub(channel)
        .recalls(RecallsRequest.newBuilder().setClientId(CLIENT).build(), thief);
    MetadataPlaneGrpc.newStub(channel)
        .recalls(
            RecallsRequest.newBuilder().setClientId(CLIENT).setAuth(victimsAuth()).build(), thief);
    await().atMost(LONG).untilAsserted(() -> assertThat(ended).hasSize(1));

    dataNode.nanos.addAndGet(TimeUnit.SECONDS.toNanos(3)); // nobody is reading by it any more
    dataNode.hdfs.delete(map.block());
    await()
        .atMost(LONG)
        .untilAsserted(
            () -> {
              dataNode.service.sweep();
              assertThat(lost).containsExactly(map);
            });
    assertThat(stolen).isEmpty();
  }

  @Test
  void tokensOfTwoUsersShareTheSession() throws Exception {
    FileMap second = grant(dataNode.hdfs.write(2, 5000), USER_B);

    assertThat(victimsPlane.requests(OpenSessionRequest.class)).hasSize(1);
    dataNode.pass(GrantFixture.LEASE_MILLIS / 2);
    map.guard().touch(dataNode.nanos.get());
    second.guard().touch(dataNode.nanos.get());
    victim.tend();
    assertThat(victimsPlane.requests(RenewRequest.class)).hasSize(1);
    assertThat(second.guard().remainingNanos(dataNode.nanos.get()))
        .isEqualTo(map.guard().remainingNanos(dataNode.nanos.get()))
        .isGreaterThan(TimeUnit.MILLISECONDS.toNanos(GrantFixture.LEASE_MILLIS / 2));
  }

  @Test
  void readersThatComeTogetherShareTheSession() throws Exception {
    victim.close();
    victimsPlane = new ImpostorPlane(channel);
    int readers = 8;
    ExecutorService threads = Executors.newFixedThreadPool(readers);
    try (MetadataClient fresh =
        new MetadataClient(
            new MetadataClientSettings("fresh", LONG, LONG, Duration.ofSeconds(2)),
            victimsPlane,
            dataNode.nanos::get,
            new ClientCounters(),
            new NoListener())) {
      List<Callable<MapOutcome>> all = new ArrayList<>();
      for (int i = 0; i < readers; i++) {
        BlockAsk target = new BlockAsk(new TokenedBlock(dataNode.hdfs.write(10 + i, 5000), USER_A));
        all.add(() -> fresh.grant(ENDPOINT, List.of(target)).get(0));
      }
      for (Future<MapOutcome> outcome : threads.invokeAll(all)) {
        assertThat(outcome.get().map()).isNotNull();
      }
      assertThat(victimsPlane.requests(OpenSessionRequest.class)).hasSize(1);
      assertThat(fresh.leasesHeld()).isEqualTo(readers);
    } finally {
      threads.shutdownNow();
    }
  }

  private static final class NoListener implements MapListener {
    @Override
    public void lost(FileMap ended) {}

    @Override
    public void ranOut(FileMap ended) {}
  }

  @Test
  void dataNodeThatWasRestartedIsAskedForANewSessionAtOnce() throws Exception {
    int port = server.port();
    server.close();
    await().atMost(LONG).until(() -> channel.getState(false) != ConnectivityState.READY);
    dataNode.start(GrantFixture.CONFIG);
    serve(port);

    FileMap second = grant(dataNode.hdfs.write(2, 5000), USER_A);

    assertThat(GrantOrigin.of(second).incarnation()).isEqualTo(dataNode.service.incarnation());
    assertThat(lost).as("of the incarnation before").containsExactly(map);
    assertThat(victimsPlane.requests(OpenSessionRequest.class)).hasSize(2);
  }
}
