// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.grant;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.rdio.client.counters.ClientCounters;
import io.rdio.client.plane.FileMap;
import io.rdio.client.plane.MapListener;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockAsk;
import io.rdio.core.block.TokenedBlock;
import io.rdio.core.wire.proto.HelloRequest;
import io.rdio.core.wire.proto.MetadataPlaneGrpc;
import io.rdio.datanode.grant.FakeHdfs;
import io.rdio.datanode.grant.GrantFixture;
import io.rdio.datanode.server.MetadataServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Readers who come while another one waits for a first answer of their DataNode. */
final class WaitingReadersTest {
  private static final String ENDPOINT = "datanode:9860";
  private static final Duration LONG = Duration.ofSeconds(20);
  private static final Duration SHORT = Duration.ofSeconds(1);

  /** What the first reader waits for. */
  enum Answer {
    HELLO,
    SESSION
  }

  @TempDir Path root;
  private final CountDownLatch asked = new CountDownLatch(1);
  private final CountDownLatch answer = new CountDownLatch(1);
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private GrantFixture dataNode;
  private MetadataServer server;
  private ManagedChannel channel;
  private ImpostorPlane plane;
  private MetadataClient client;

  @BeforeEach
  void start() throws Exception {
    dataNode = new GrantFixture(root);
    server =
        MetadataServer.start(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 8, dataNode.service);
    channel = NettyChannelBuilder.forAddress("127.0.0.1", server.port()).usePlaintext().build();
    // The first call of a JVM, and of a channel, may take longer than a reader waits here.
    MetadataPlaneGrpc.newBlockingStub(channel)
        .withWaitForReady()
        .hello(HelloRequest.getDefaultInstance());
    plane = new ImpostorPlane(channel);
  }

  @AfterEach
  void stop() throws InterruptedException {
    answer.countDown();
    client.close();
    threads.shutdown();
    assertThat(threads.awaitTermination(20, TimeUnit.SECONDS)).isTrue();
    channel.shutdownNow().awaitTermination(5, TimeUnit.SECONDS);
    server.close();
  }

  private void connect(Duration timeout) {
    client =
        new MetadataClient(
            new MetadataClientSettings("client", timeout, LONG, Duration.ofSeconds(2)),
            plane,
            dataNode.nanos::get,
            new ClientCounters(),
            new MapListener() {
              @Override
              public void lost(FileMap map) {}

              @Override
              public void ranOut(FileMap map) {}
            });
  }

  private <T> T held(T reply) {
    asked.countDown();
    try {
      answer.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return reply;
  }

  private Future<@Nullable FallbackException> read(long block) {
    BlockAsk target =
        new BlockAsk(new TokenedBlock(dataNode.hdfs.write(block, 100), FakeHdfs.TOKEN));
    return threads.submit(
        () -> {
          try {
            return client.grant(ENDPOINT, List.of(target)).get(0).refusal();
          } catch (FallbackException e) {
            return e;
          }
        });
  }

  private void holdFirst(Answer what) throws InterruptedException {
    if (what == Answer.HELLO) {
      plane.hello = (request, reply) -> held(reply);
    } else {
      plane.session = (request, reply) -> held(reply);
    }
    Future<@Nullable FallbackException> first = read(1);
    assertThat(asked.await(60, TimeUnit.SECONDS)).isTrue();
    assertThat(first.isDone()).isFalse();
  }

  private static FallbackReason reason(Future<@Nullable FallbackException> reader)
      throws Exception {
    FallbackException refusal = reader.get(60, TimeUnit.SECONDS);
    assertThat(refusal).isNotNull();
    return refusal.reason();
  }

  @ParameterizedTest
  @EnumSource(Answer.class)
  void waitNoLongerThanForAnAnswerOfTheirOwn(Answer what) throws Exception {
    connect(SHORT);
    holdFirst(what);

    assertThat(reason(read(2))).isEqualTo(FallbackReason.METADATA_PLANE_UNREACHABLE);
    assertThat(reason(read(3)))
        .as("nobody knows yet whether the DataNode failed")
        .isEqualTo(FallbackReason.METADATA_PLANE_UNREACHABLE);
  }

  @ParameterizedTest
  @EnumSource(Answer.class)
  void stopWaitingWhenTheyAreInterrupted(Answer what) throws Exception {
    connect(LONG);
    holdFirst(what);
    BlockAsk target = new BlockAsk(new TokenedBlock(dataNode.hdfs.write(2, 100), FakeHdfs.TOKEN));
    Future<FallbackReason> interrupted =
        threads.submit(
            () -> {
              Thread.currentThread().interrupt();
              try {
                client.grant(ENDPOINT, List.of(target));
                return null;
              } catch (FallbackException e) {
                assertThat(Thread.interrupted()).as("the flag").isTrue();
                return e.reason();
              }
            });

    assertThat(interrupted.get(60, TimeUnit.SECONDS)).isEqualTo(FallbackReason.INTERRUPTED);
  }
}
