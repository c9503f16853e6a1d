// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.server;

import static io.rdio.core.testing.Patience.await;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.protobuf.ByteString;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockKey;
import io.rdio.core.wire.ProtocolRange;
import io.rdio.core.wire.ProtocolVersion;
import io.rdio.core.wire.RetryAfter;
import io.rdio.core.wire.proto.BlockId;
import io.rdio.core.wire.proto.BlockRequest;
import io.rdio.core.wire.proto.FileMap;
import io.rdio.core.wire.proto.GrantReply;
import io.rdio.core.wire.proto.GrantRequest;
import io.rdio.core.wire.proto.HelloReply;
import io.rdio.core.wire.proto.HelloRequest;
import io.rdio.core.wire.proto.LeaseInfo;
import io.rdio.core.wire.proto.ListLeasesRequest;
import io.rdio.core.wire.proto.MetadataPlaneGrpc;
import io.rdio.core.wire.proto.Recall;
import io.rdio.core.wire.proto.RecallsRequest;
import io.rdio.core.wire.proto.RenewRequest;
import io.rdio.core.wire.proto.ReturnRequest;
import io.rdio.datanode.grant.FakeHdfs;
import io.rdio.datanode.grant.GrantFaultInjector;
import io.rdio.datanode.grant.GrantFixture;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The metadata plane over a real socket, with well-made and with other clients. */
final class MetadataServerTest {
  private static final String CLIENT = "client-0123456789abcdef";

  @TempDir Path root;
  private GrantFixture fixture;
  private MetadataServer server;
  private ManagedChannel channel;

  @BeforeEach
  void start() throws IOException {
    fixture = new GrantFixture(root);
    server =
        MetadataServer.start(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 8, fixture.service);
    channel = NettyChannelBuilder.forAddress("127.0.0.1", server.port()).usePlaintext().build();
  }

  @AfterEach
  void stop() throws InterruptedException {
    GrantFaultInjector.set(new GrantFaultInjector());
    channel.shutdownNow().awaitTermination(5, TimeUnit.SECONDS);
    server.close();
  }

  private MetadataPlaneGrpc.MetadataPlaneBlockingStub stub() {
    return MetadataPlaneGrpc.newBlockingStub(channel).withDeadlineAfter(10, TimeUnit.SECONDS);
  }

  private static BlockId id(BlockKey block) {
    return BlockId.newBuilder()
        .setPoolId(block.poolId())
        .setBlockId(block.blockId())
        .setGenerationStamp(block.generationStamp())
        .build();
  }

  private static BlockRequest ask(BlockId block) {
    return BlockRequest.newBuilder()
        .setBlock(block)
        .setToken(ByteString.copyFrom(FakeHdfs.TOKEN))
        .build();
  }

  private static GrantRequest request(BlockId... blocks) {
    GrantRequest.Builder request =
        GrantRequest.newBuilder().setProtocolVersion(ProtocolVersion.CURRENT).setClientId(CLIENT);
    for (BlockId block : blocks) {
      request.addBlocks(ask(block));
    }
    return request.build();
  }

  private FileMap map(BlockKey block) {
    return stub().grant(request(id(block))).getBlocks(0).getFileMap();
  }

  private static Status status(Runnable call) {
    return catchThrowableOfType(StatusRuntimeException.class, call::run).getStatus();
  }

  @Test
  void helloTellsWhoAndWhere() {
    HelloReply reply =
        stub().hello(HelloRequest.newBuilder().setProtocolVersion(ProtocolVersion.CURRENT).build());

    assertThat(reply.getProtocolVersion()).isEqualTo(ProtocolVersion.CURRENT);
    assertThat(reply.getIncarnation()).isEqualTo(fixture.service.incarnation()).isNotZero();
    assertThat(reply.getLeaseMillis()).isEqualTo(GrantFixture.LEASE_MILLIS);
    assertThat(reply.getMaxIoMillis()).isEqualTo(GrantFixture.IO_MILLIS);
    assertThat(reply.getVolumesList())
        .singleElement()
        .satisfies(
            volume -> {
              assertThat(volume.getStorageId()).isEqualTo(FakeHdfs.STORAGE_ID);
              assertThat(volume.getPath()).isEqualTo(root.toString());
              assertThat(volume.getRefusal()).isEmpty();
              assertThat(volume.getDevice().getFsUuid().toByteArray())
                  .containsExactly(0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2);
            });
  }

  @Test
  void grantRenewAndReturn() {
    BlockKey block = fixture.hdfs.write(1, 5000);
    BlockKey missing = FakeHdfs.block(-2);

    GrantReply reply = stub().grant(request(id(block), id(missing)));

    FileMap map = reply.getBlocks(0).getFileMap();
    assertThat(map.getBlockLength()).isEqualTo(5000);
    assertThat(map.getBlockExtents().getLengthList()).containsExactly(8192L);
    assertThat(map.getChecksumType()).isEqualTo(2);
    assertThat(reply.getBlocks(1).getRefusal().getReason())
        .isEqualTo(FallbackReason.REPLICA_NOT_FOUND.name());

    long unknown = map.getLeaseId() + 1;
    RenewRequest renewal =
        RenewRequest.newBuilder()
            .setClientId(CLIENT)
            .setIncarnation(reply.getIncarnation())
            .addLeaseIds(map.getLeaseId())
            .addLeaseIds(unknown)
            .build();
    assertThat(stub().renew(renewal).getLeaseMillisList())
        .containsExactly(GrantFixture.LEASE_MILLIS, 0L);

    stub()
        .return_(
            ReturnRequest.newBuilder()
                .setClientId(CLIENT)
                .setIncarnation(reply.getIncarnation())
                .addLeaseIds(map.getLeaseId())
                .build());
    assertThat(stub().renew(renewal).getLeaseMillisList()).containsExactly(0L, 0L);
    assertThat(fixture.links()).isEmpty();
  }

  @Test
  void listOfLeasesGivesNobodyTheMeansToReturnThem() {
    FileMap map = map(fixture.hdfs.write(1, 5000));

    LeaseInfo info = stub().listLeases(ListLeasesRequest.getDefaultInstance()).getLeases(0);

    assertThat(info.getBlock().getBlockId()).isEqualTo(1);
    assertThat(info.getRemainingMillis()).isEqualTo(GrantFixture.LEASE_MILLIS);
    assertThat(info.getLeaseId()).isNotEqualTo(map.getLeaseId());
    assertThat(CLIENT).startsWith(info.getClientId());
    assertThat(info.getClientId()).hasSizeLessThan(CLIENT.length());
  }

  @Test
  void recallsReachTheOpenStreamAndALaterOne() {
    BlockKey block = fixture.hdfs.write(1, 5000);
    long lease = map(block).getLeaseId();
    List<Long> first = recalls();
    fixture.hdfs.delete(block);
    // The stream is open on this side before the server has heard of it.
    await()
        .untilAsserted(
            () -> {
              fixture.service.sweep();
              assertThat(first).containsExactly(lease);
            });

    List<Long> second = recalls();
    await().untilAsserted(() -> assertThat(second).contains(lease));
  }

  private List<Long> recalls() {
    List<Long> recalled = new CopyOnWriteArrayList<>();
    MetadataPlaneGrpc.newStub(channel)
        .recalls(
            RecallsRequest.newBuilder().setClientId(CLIENT).build(),
            new StreamObserver<>() {
              @Override
              public void onNext(Recall recall) {
                recalled.addAll(recall.getLeaseIdsList());
              }

              @Override
              public void onError(Throwable error) {}

              @Override
              public void onCompleted() {}
            });
    return recalled;
  }

  @Test
  void otherProtocolVersionIsRefusedBlockByBlock() {
    BlockKey block = fixture.hdfs.write(1, 5000);

    GrantReply reply = stub().grant(request(id(block)).toBuilder().setProtocolVersion(99).build());

    assertThat(reply.getBlocks(0).getRefusal().getReason())
        .isEqualTo(FallbackReason.PROTOCOL_MISMATCH.name());
    assertThat(reply.getBlocks(0).getRefusal().getDetail())
        .contains("version 99", ProtocolRange.SUPPORTED.toString());
    assertThat(fixture.links()).isEmpty();
  }

  @Test
  void senselessRequestsAreRefusedWithAText() {
    BlockId good = id(FakeHdfs.block(1));
    assertThat(status(() -> stub().grant(request(good).toBuilder().setClientId("").build())))
        .satisfies(MetadataServerTest::isInvalid);
    assertThat(
            status(
                () ->
                    stub()
                        .recalls(RecallsRequest.newBuilder().setClientId("x".repeat(257)).build())
                        .next()))
        .satisfies(MetadataServerTest::isInvalid);
    for (String pool : List.of("", "../../etc", "/etc/passwd", "B\0P", "B".repeat(129))) {
      assertThat(status(() -> stub().grant(request(good.toBuilder().setPoolId(pool).build()))))
          .satisfies(MetadataServerTest::isInvalid);
    }
    assertThat(status(() -> stub().grant(request(good.toBuilder().setGenerationStamp(-1).build()))))
        .satisfies(MetadataServerTest::isInvalid);
    GrantRequest.Builder largeToken = request().toBuilder();
    largeToken.addBlocks(ask(good).toBuilder().setToken(ByteString.copyFrom(new byte[65 * 1024])));
    assertThat(status(() -> stub().grant(largeToken.build())))
        .satisfies(MetadataServerTest::isInvalid);
    await().until(() -> server.badRequests() == 9);
  }

  private static void isInvalid(Status status) {
    assertThat(status.getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
    assertThat(status.getDescription()).isNotBlank().doesNotContain("Exception");
  }

  @Test
  void requestsThatAreTooLargeAreRefused() {
    BlockId[] many = Collections.nCopies(17, id(FakeHdfs.block(1))).toArray(BlockId[]::new);
    Status tooMany = status(() -> stub().grant(request(many)));
    isInvalid(tooMany);
    assertThat(tooMany.getDescription()).contains("17 blocks").contains("at most 16");

    RenewRequest renewals =
        RenewRequest.newBuilder()
            .setClientId(CLIENT)
            .addAllLeaseIds(Collections.nCopies(101, 1L))
            .build();
    isInvalid(status(() -> stub().renew(renewals)));

    GrantRequest.Builder huge = request().toBuilder();
    huge.addBlocks(
        ask(id(FakeHdfs.block(1))).toBuilder().setToken(ByteString.copyFrom(new byte[5 << 20])));
    assertThat(status(() -> stub().grant(huge.build())).getCode())
        .isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
    assertThat(mayComeAgain(() -> stub().grant(huge.build()))).as("no smaller then").isFalse();
  }

  /** Whether a refusal says when. */
  private static boolean mayComeAgain(Runnable call) {
    return RetryAfter.isSaidBy(catchThrowableOfType(StatusRuntimeException.class, call::run));
  }

  @Test
  void answerThatIsTooLargeIsNoSignOfABusyDataNode() {
    ManagedChannel narrow =
        NettyChannelBuilder.forAddress("127.0.0.1", server.port())
            .usePlaintext()
            .maxInboundMessageSize(10)
            .build();
    try {
      Runnable hello =
          () ->
              MetadataPlaneGrpc.newBlockingStub(narrow)
                  .withDeadlineAfter(10, TimeUnit.SECONDS)
                  .hello(HelloRequest.getDefaultInstance());
      assertThat(status(hello).getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
      assertThat(mayComeAgain(hello)).isFalse();
    } finally {
      narrow.shutdownNow();
    }
  }

  @Test
  void garbageIsRefusedWithoutATrace() {
    byte[] garbage = "\377\377\377 not a message".getBytes(US_ASCII);
    MethodDescriptor<byte[], GrantReply> method =
        MetadataPlaneGrpc.getGrantMethod().toBuilder(
                new RawBytes(), MetadataPlaneGrpc.getGrantMethod().getResponseMarshaller())
            .build();

    Status status =
        status(
            () ->
                ClientCalls.blockingUnaryCall(
                    channel,
                    method,
                    CallOptions.DEFAULT.withDeadlineAfter(10, TimeUnit.SECONDS),
                    garbage));

    isInvalid(status);
    assertThat(stub().hello(HelloRequest.getDefaultInstance()).getIncarnation()).isNotZero();
  }

  @Test
  void leasesOfARequestWhoseClientGaveUpAreTakenBack() throws InterruptedException {
    BlockKey block = fixture.hdfs.write(1, 5000);
    CountDownLatch granted = new CountDownLatch(1);
    CountDownLatch gaveUp = new CountDownLatch(1);
    GrantFaultInjector.set(
        new GrantFaultInjector() {
          @Override
          public void beforeReply(String clientId) {
            granted.countDown();
            try {
              gaveUp.await();
            } catch (InterruptedException e) {
              throw new IllegalStateException(e);
            }
          }
        });

    Status status =
        status(
            () ->
                MetadataPlaneGrpc.newBlockingStub(channel)
                    .withDeadlineAfter(500, TimeUnit.MILLISECONDS)
                    .grant(request(id(block))));
    assertThat(status.getCode()).isEqualTo(Status.Code.DEADLINE_EXCEEDED);
    granted.await();
    assertThat(fixture.links()).hasSize(2);
    // A later call on the same connection is answered after the server heard of the cancellation.
    stub().hello(HelloRequest.getDefaultInstance());
    gaveUp.countDown();

    await().untilAsserted(() -> assertThat(fixture.links()).isEmpty());
  }

  @Test
  void portThatIsTakenIsNamed() {
    InetSocketAddress taken =
        new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port());

    assertThat(
            catchThrowableOfType(
                IOException.class, () -> MetadataServer.start(taken, 8, fixture.service)))
        .hasMessageContaining("cannot listen on")
        .hasMessageContaining(Integer.toString(server.port()));
  }
}
