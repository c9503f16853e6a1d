// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.server;

import static io.rdio.core.testing.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.common.util.concurrent.ListenableFuture;
import com.google.protobuf.ByteString;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockKey;
import io.rdio.core.wire.ProtocolVersion;
import io.rdio.core.wire.proto.BlockId;
import io.rdio.core.wire.proto.BlockRequest;
import io.rdio.core.wire.proto.GrantReply;
import io.rdio.core.wire.proto.GrantRequest;
import io.rdio.core.wire.proto.HelloRequest;
import io.rdio.core.wire.proto.MetadataPlaneGrpc;
import io.rdio.datanode.grant.FakeHdfs;
import io.rdio.datanode.grant.GrantFaultInjector;
import io.rdio.datanode.grant.GrantFixture;
import io.rdio.datanode.grant.GrantThreads;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A call is answered within its deadline, whatever is thrown and whatever hangs. */
final class AnsweredInAnyCaseTest {
  private static final String CLIENT = "client-0123456789abcdef";
  private static final int REQUESTS = 20; // more than there are threads for grants

  @TempDir Path root;
  private final Queue<Runnable> hung = new ConcurrentLinkedQueue<>();
  private final ScheduledExecutorService timer = Executors.newScheduledThreadPool(1);
  private volatile boolean hangs;
  private GrantFixture fixture;
  private MetadataServer server;
  private ManagedChannel channel;

  /** A volume that hangs when it is told to. */
  private final class Threads implements GrantThreads {
    @Override
    public Executor pinning(Path volumeRoot) {
      return work -> {
        if (hangs) {
          hung.add(work);
        } else {
          work.run();
        }
      };
    }

    @Override
    public Executor upkeep(Path volumeRoot) {
      return Runnable::run;
    }

    @Override
    public Runnable after(long nanos, Runnable work) {
      var waiting = timer.schedule(work, nanos, TimeUnit.NANOSECONDS);
      return () -> waiting.cancel(false);
    }
  }

  @BeforeEach
  void start() throws IOException {
    fixture = new GrantFixture(root);
    fixture.threads = new Threads();
    fixture.start(GrantFixture.CONFIG);
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
    timer.shutdownNow();
  }

  private MetadataPlaneGrpc.MetadataPlaneBlockingStub stub(long millis) {
    return MetadataPlaneGrpc.newBlockingStub(channel)
        .withDeadlineAfter(millis, TimeUnit.MILLISECONDS);
  }

  private static GrantRequest request(BlockKey block) {
    return GrantRequest.newBuilder()
        .setProtocolVersion(ProtocolVersion.CURRENT)
        .setClientId(CLIENT)
        .addBlocks(
            BlockRequest.newBuilder()
                .setToken(ByteString.copyFrom(FakeHdfs.TOKEN))
                .setBlock(
                    BlockId.newBuilder()
                        .setPoolId(block.poolId())
                        .setBlockId(block.blockId())
                        .setGenerationStamp(block.generationStamp())))
        .build();
  }

  @Test
  void errorIsAnsweredAtOnceAndTheNextCallIsServed() {
    BlockKey block = fixture.hdfs.write(1, 100);
    GrantFaultInjector.set(
        new GrantFaultInjector() {
          @Override
          public void beforeReply(String clientId) {
            throw new OutOfMemoryError("thrown by the test");
          }
        });

    for (int i = 0; i < REQUESTS; i++) {
      StatusRuntimeException failure =
          catchThrowableOfType(
              StatusRuntimeException.class, () -> stub(10_000).grant(request(block)));
      assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.INTERNAL);
    }
    assertThat(fixture.service.leaseCount()).isZero();
    assertThat(fixture.links()).isEmpty();

    GrantFaultInjector.set(new GrantFaultInjector());
    assertThat(stub(10_000).grant(request(block)).getBlocks(0).hasFileMap()).isTrue();
  }

  @Test
  void clientOfAHungVolumeIsAnsweredWithinItsDeadlineAndHoldsUpNobody() {
    BlockKey pinned = fixture.hdfs.write(1, 100);
    assertThat(stub(10_000).grant(request(pinned)).getBlocks(0).hasFileMap()).isTrue();
    hangs = true;

    for (int i = 0; i < REQUESTS; i++) {
      GrantReply reply = stub(2_000).grant(request(fixture.hdfs.write(100 + i, 100)));
      assertThat(reply.getBlocks(0).getRefusal().getReason())
          .isEqualTo(FallbackReason.VOLUME_STALLED.name());
    }
    assertThat(hung).as("only the first one was tried").hasSize(1);
    assertThat(stub(10_000).grant(request(pinned)).getBlocks(0).hasFileMap()).isTrue();
    assertThat(stub(10_000).hello(HelloRequest.getDefaultInstance()).getVolumes(0).getRefusal())
        .isEqualTo(FallbackReason.VOLUME_STALLED.name());
  }

  @Test
  void callUnderWayEndsWithItsServer() throws Exception {
    hangs = true;
    ListenableFuture<GrantReply> call =
        MetadataPlaneGrpc.newFutureStub(channel).grant(request(fixture.hdfs.write(1, 100)));
    await().until(() -> !hung.isEmpty());

    server.close();

    assertThat(catchThrowableOfType(ExecutionException.class, () -> call.get(60, TimeUnit.SECONDS)))
        .hasMessageContaining(Status.Code.UNAVAILABLE.name());
  }
}
