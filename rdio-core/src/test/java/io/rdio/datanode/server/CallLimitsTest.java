// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.server;

import static io.rdio.core.testing.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.protobuf.ByteString;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockKey;
import io.rdio.core.wire.BlockIds;
import io.rdio.core.wire.GrantProof;
import io.rdio.core.wire.ProtocolVersion;
import io.rdio.core.wire.RetryAfter;
import io.rdio.core.wire.proto.GrantRequest;
import io.rdio.core.wire.proto.ListLeasesReply;
import io.rdio.core.wire.proto.ListLeasesRequest;
import io.rdio.core.wire.proto.MetadataPlaneGrpc;
import io.rdio.core.wire.proto.OpenSessionRequest;
import io.rdio.core.wire.proto.RecallsRequest;
import io.rdio.core.wire.proto.RenewRequest;
import io.rdio.core.wire.proto.ReturnRequest;
import io.rdio.core.wire.proto.SessionAuth;
import io.rdio.datanode.grant.GrantConfig;
import io.rdio.datanode.grant.GrantFixture;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What each call may contain, and how many lists of leases one address may leave untaken. */
final class CallLimitsTest {
  private static final int LEASES_PER_ADDRESS = 200;
  private static final String LINE_FEED = "client\n0123";

  @TempDir Path root;
  private final Queue<StatusRuntimeException> ended = new ConcurrentLinkedQueue<>();
  private GrantFixture dataNode;
  private BlockKey block;
  private MetadataServer server;
  private ManagedChannel channel;

  @BeforeEach
  void start() throws IOException {
    dataNode = new GrantFixture(root);
    dataNode.start(GrantConfig.builder().leasesPerAddress(LEASES_PER_ADDRESS).build());
    block = dataNode.hdfs.write(1, 100);
    server =
        MetadataServer.start(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 8, dataNode.service);
    channel = NettyChannelBuilder.forAddress("127.0.0.1", server.port()).usePlaintext().build();
  }

  @AfterEach
  void stop() {
    channel.shutdownNow();
    server.close();
  }

  private MetadataPlaneGrpc.MetadataPlaneBlockingStub stub() {
    return MetadataPlaneGrpc.newBlockingStub(channel).withDeadlineAfter(20, TimeUnit.SECONDS);
  }

  private static ConditionFactory soon() {
    return await();
  }

  private static void isInvalid(Runnable call, String text) {
    Status status = catchThrowableOfType(StatusRuntimeException.class, call::run).getStatus();
    assertThat(status.getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
    assertThat(status.getDescription()).contains(text);
  }

  private OpenSessionRequest.Builder opening() {
    return OpenSessionRequest.newBuilder()
        .setClientId("client")
        .setBlock(BlockIds.encode(block))
        .setNonce(GrantProof.newNonce());
  }

  private void isInvalidOpening(OpenSessionRequest.Builder request, String text) {
    isInvalid(() -> stub().openSession(request.build()), text);
  }

  private static ByteString bytes(int count) {
    return ByteString.copyFrom(new byte[count]);
  }

  @Test
  void requestForASessionHasItsSizes() {
    ByteString large = bytes(ServerRequestCheck.TOKEN_MAX);
    OpenSessionRequest noToken = opening().setTokenIdentifier(large).build();
    assertThat(stub().openSession(noToken).getRefusal().getReason())
        .isEqualTo(FallbackReason.TOKEN_REFUSED.name());
    isInvalidOpening(opening().setTokenIdentifier(bytes(65 << 10)), "a block token of 66560 bytes");
    isInvalidOpening(opening().setNonce(bytes(GrantProof.NONCE_BYTES - 1)), "15 bytes");
    isInvalidOpening(opening().setNonce(ByteString.EMPTY), "0 bytes");
    isInvalidOpening(opening().setClientId(LINE_FEED), "line feed");
    isInvalidOpening(opening().setClientId("c".repeat(257)), "257 characters");
    isInvalidOpening(opening().clearBlock(), "pool_id");
  }

  @Test
  void clientIdOfACallHasNoLineFeed() {
    GrantRequest.Builder grant =
        GrantRequest.newBuilder()
            .setProtocolVersion(ProtocolVersion.CURRENT)
            .setClientId(LINE_FEED);
    isInvalid(() -> stub().grant(grant.build()), "line feed");
    RenewRequest.Builder renewal = RenewRequest.newBuilder().setClientId(LINE_FEED);
    isInvalid(() -> stub().renew(renewal.build()), "line feed");
    ReturnRequest.Builder giving = ReturnRequest.newBuilder().setClientId(LINE_FEED);
    isInvalid(() -> stub().return_(giving.build()), "line feed");
    RecallsRequest.Builder recalls = RecallsRequest.newBuilder().setClientId(LINE_FEED);
    isInvalid(() -> stub().recalls(recalls.build()).next(), "line feed");
  }

  @Test
  void sessionOfACallIsNamedByARightNumberOfBytes() {
    SessionAuth auth =
        SessionAuth.newBuilder().setSessionId(bytes(15)).setNonce(GrantProof.newNonce()).build();
    RenewRequest.Builder renewal = RenewRequest.newBuilder().setClientId("c").setAuth(auth);
    isInvalid(() -> stub().renew(renewal.build()), "15 bytes");
    ReturnRequest.Builder giving = ReturnRequest.newBuilder().setClientId("c").setAuth(auth);
    isInvalid(() -> stub().return_(giving.build()), "15 bytes");
    RecallsRequest.Builder recalls = RecallsRequest.newBuilder().setClientId("c").setAuth(auth);
    isInvalid(() -> stub().recalls(recalls.build()).next(), "15 bytes");
  }

  private ReturnRequest giving(long lease, int times) {
    return ReturnRequest.newBuilder()
        .setClientId("client")
        .setIncarnation(dataNode.service.incarnation())
        .addAllLeaseIds(Collections.nCopies(times, lease))
        .build();
  }

  @Test
  void returnOfMoreThanAnAddressMayHoldReturnsNone() {
    long lease = dataNode.lease("client", block);

    isInvalid(() -> stub().return_(giving(lease, LEASES_PER_ADDRESS + 1)), "201 lease_ids");
    assertThat(dataNode.service.leaseCount()).isEqualTo(1);

    stub().return_(giving(lease, LEASES_PER_ADDRESS));
    assertThat(dataNode.service.leaseCount()).isZero();
  }

  private void lease(int count) {
    for (int i = 0; i < count; i++) {
      dataNode.lease("client " + i, block);
    }
  }

  private ListLeasesReply list(int max, long after) {
    return stub().listLeases(ListLeasesRequest.newBuilder().setMax(max).setAfter(after).build());
  }

  @Test
  void pageOfLeasesHasNoMoreThanFiveThousand() {
    lease(ServerLeasePage.LISTED_MAX + 1);
    for (int max : new int[] {0, -1, Integer.MIN_VALUE, 6_000, Integer.MAX_VALUE}) {
      ListLeasesReply page = list(max, 0);
      assertThat(page.getLeasesCount()).isEqualTo(ServerLeasePage.LISTED_MAX);
      assertThat(list(max, page.getNext()).getLeasesCount()).isEqualTo(1);
    }
    assertThat(list(ServerLeasePage.LISTED_MAX, 0).getLeasesCount())
        .isEqualTo(ServerLeasePage.LISTED_MAX);
  }

  @Test
  void pageBehindANegativeNumberIsTheFirst() {
    lease(3);
    for (long after : new long[] {-1, Long.MIN_VALUE}) {
      ListLeasesReply page = list(2, after);
      assertThat(page.getLeasesList()).isEqualTo(list(2, 0).getLeasesList()).hasSize(2);
      assertThat(page.getNext()).isPositive();
    }
    assertThat(list(2, Long.MAX_VALUE)).isEqualTo(ListLeasesReply.getDefaultInstance());
  }

  /** Asks for leases on a connection on which nothing is taken. */
  private void listWithoutTaking(ManagedChannel connection) {
    ClientCall<ListLeasesRequest, ListLeasesReply> call =
        connection.newCall(
            MetadataPlaneGrpc.getListLeasesMethod(),
            CallOptions.DEFAULT.withDeadlineAfter(60, TimeUnit.SECONDS));
    call.start(
        new ClientCall.Listener<>() {
          @Override
          public void onClose(Status status, Metadata trailers) {
            ended.add(new StatusRuntimeException(status, trailers));
          }
        },
        new Metadata());
    call.sendMessage(ListLeasesRequest.getDefaultInstance());
    call.halfClose();
  }

  @Test
  void addressThatLeavesItsListsUntakenIsToldToComeAgain() {
    lease(100);
    ManagedChannel narrow =
        NettyChannelBuilder.forAddress("127.0.0.1", server.port())
            .usePlaintext()
            .flowControlWindow(1_024)
            .build();
    try {
      for (int i = 0; i < MetadataServerLimits.LISTINGS_PER_ADDRESS + 1; i++) {
        listWithoutTaking(narrow);
      }

      soon().until(() -> !ended.isEmpty());
      assertThat(ended)
          .singleElement()
          .satisfies(
              refusal -> {
                assertThat(refusal.getStatus().getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
                assertThat(refusal.getStatus().getDescription()).contains("127.0.0.1");
                assertThat(RetryAfter.isSaidBy(refusal)).isTrue();
              });
      assertThat(catchThrowableOfType(StatusRuntimeException.class, () -> list(10, 0)).getStatus())
          .as("on another connection of it")
          .extracting(Status::getCode)
          .isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
      assertThat(dataNode.lease("client", dataNode.hdfs.write(2, 100))).isNotZero();
    } finally {
      narrow.shutdownNow();
    }

    soon().ignoreExceptions().until(() -> list(10, 0).getLeasesCount() == 10);
  }
}
