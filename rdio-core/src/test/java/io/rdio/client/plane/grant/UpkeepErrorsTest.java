// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.grant;

import static io.rdio.core.testing.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.netty.NettyChannelBuilder;
import io.rdio.client.counters.ClientCounters;
import io.rdio.client.plane.FileMap;
import io.rdio.client.plane.MapListener;
import io.rdio.client.plane.MapOutcome;
import io.rdio.core.block.BlockAsk;
import io.rdio.core.block.BlockKey;
import io.rdio.core.block.TokenedBlock;
import io.rdio.core.wire.ChannelFactory;
import io.rdio.core.wire.proto.MetadataPlaneGrpc;
import io.rdio.datanode.grant.FakeHdfs;
import io.rdio.datanode.grant.GrantFixture;
import io.rdio.datanode.server.MetadataServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One {@code Error} where a client sends what keeps its leases: the next look sends it. */
final class UpkeepErrorsTest {
  private static final MethodDescriptor<?, ?> RENEW = MetadataPlaneGrpc.getRenewMethod();
  private static final MethodDescriptor<?, ?> RECALLS = MetadataPlaneGrpc.getRecallsMethod();
  private static final Duration BACK_OFF = Duration.ofSeconds(5);

  @TempDir Path root;
  private final List<FileMap> lost = new CopyOnWriteArrayList<>();
  private final Calls calls = new Calls();
  private GrantFixture dataNode;
  private MetadataServer server;
  private MetadataClient client;
  private BlockKey block;

  /** A client's calls, one of which is to fail. */
  private static final class Calls implements ClientInterceptor, ChannelFactory {
    final List<MethodDescriptor<?, ?>> made = new CopyOnWriteArrayList<>();
    volatile MethodDescriptor<?, ?> failingNext;
    volatile MethodDescriptor<?, ?> failingToSend;
    volatile MethodDescriptor<?, ?> neverSent;
    private volatile ManagedChannel channel;

    @Override
    public ManagedChannel open(String endpoint) {
      channel = NettyChannelBuilder.forTarget(endpoint).usePlaintext().intercept(this).build();
      return channel;
    }

    @Override
    public void close() {
      channel.shutdownNow();
    }

    @Override
    public <Q, A> ClientCall<Q, A> interceptCall(
        MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
      made.add(method);
      if (method.equals(failingNext)) {
        failingNext = null;
        throw new NoClassDefFoundError("thrown by the test");
      }
      return new SimpleForwardingClientCall<>(next.newCall(method, options)) {
        @Override
        public void sendMessage(Q message) {
          if (method.equals(failingToSend)) {
            failingToSend = null;
            throw new NoClassDefFoundError("thrown by the test");
          }
          if (!method.equals(neverSent)) {
            super.sendMessage(message);
          }
        }

        @Override
        public void halfClose() {
          if (!method.equals(neverSent)) {
            super.halfClose();
          }
        }
      };
    }

    long made(MethodDescriptor<?, ?> method) {
      return made.stream().filter(method::equals).count();
    }
  }

  @BeforeEach
  void start() throws Exception {
    dataNode = new GrantFixture(root);
    server =
        MetadataServer.start(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 8, dataNode.service);
    client =
        new MetadataClient(
            new MetadataClientSettings(
                "client", Duration.ofSeconds(20), BACK_OFF, Duration.ofSeconds(2)),
            calls,
            dataNode.nanos::get,
            new ClientCounters(),
            new MapListener() {
              @Override
              public void lost(FileMap map) {
                lost.add(map);
              }

              @Override
              public void ranOut(FileMap map) {}
            });
    block = dataNode.hdfs.write(1, 5000);
  }

  @AfterEach
  void stop() {
    client.close();
    server.close();
  }

  private static ConditionFactory soon() {
    return await();
  }

  private FileMap granted() throws Exception {
    MapOutcome outcome =
        client
            .grant(
                "127.0.0.1:" + server.port(),
                List.of(new BlockAsk(new TokenedBlock(block, FakeHdfs.TOKEN))))
            .get(0);
    return Objects.requireNonNull(outcome.map());
  }

  /** Has the next look renew the map's lease. */
  private void pass(FileMap map) {
    dataNode.pass(GrantFixture.LEASE_MILLIS / 2);
    Lease.of(map).touch(dataNode.nanos.get());
  }

  private void tendFails() {
    assertThatThrownBy(() -> client.tend()).hasRootCauseInstanceOf(NoClassDefFoundError.class);
  }

  @Test
  void renewalThatCouldNotBeBegunIsBegunByTheNextLook() throws Exception {
    FileMap map = granted();
    pass(map);
    calls.failingNext = RENEW;

    tendFails();
    client.tend();

    long term = TimeUnit.MILLISECONDS.toNanos(GrantFixture.LEASE_MILLIS);
    soon().until(() -> Lease.of(map).remainingNanos(dataNode.nanos.get()) > term / 2);
  }

  @Test
  void renewalThatCouldNotBeSentEndsOnceThoughGrpcSaysSoToo() throws Exception {
    FileMap map = granted();
    pass(map);
    calls.failingToSend = RENEW;
    tendFails();
    calls.neverSent = RENEW;

    // The end of the call that was cancelled may be told of by another thread, and later.
    soon()
        .until(
            () -> {
              client.tend();
              return calls.made(RENEW) == 2;
            });
    dataNode.pass(GrantFixture.LEASE_MILLIS / 6);
    client.tend();

    assertThat(calls.made(RENEW)).as("the second is under way still").isEqualTo(2);
  }

  @Test
  void mapIsGrantedAlthoughItsStreamOfRecallsCouldNotBeOpened() throws Exception {
    calls.failingNext = RECALLS;

    FileMap map = granted();

    assertThat(Lease.of(map).isValid(dataNode.nanos.get())).isTrue();
    assertThat(client.leasesHeld()).isEqualTo(1);
    recallsArriveAfterTheBackOff(map);
  }

  @Test
  void streamOfRecallsThatCouldNotBeOpenedTwiceIsOpenedAfterTheBackOff() throws Exception {
    calls.failingNext = RECALLS;
    FileMap map = granted();
    dataNode.pass(BACK_OFF.toMillis());
    calls.failingToSend = RECALLS;

    tendFails();

    dataNode.pass(BACK_OFF.toMillis());
    recallsArriveAfterTheBackOff(map);
  }

  private void recallsArriveAfterTheBackOff(FileMap map) {
    dataNode.pass(BACK_OFF.toMillis());
    client.tend();
    dataNode.hdfs.delete(block);
    dataNode.service.sweep();
    soon().until(() -> lost.contains(map));
  }
}
