// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.grant;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.rdio.client.counters.ClientCounters;
import io.rdio.core.wire.proto.MetadataPlaneGrpc;
import io.rdio.core.wire.proto.Recall;
import io.rdio.core.wire.proto.RecallsRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A stream of recalls that is not wanted any more while gRPC is opening it. */
final class RecallStreamTest {
  private static final String NAME = "recalls";
  private static final Duration LONG = Duration.ofSeconds(20);

  private final List<ServerCallStreamObserver<Recall>> streams = new ArrayList<>();
  private final List<Long> recalled = new ArrayList<>();
  private Runnable beforeStart = () -> {};
  private Runnable beforeRequest = () -> {};
  private Server server;
  private ManagedChannel channel;
  private RecallStream stream;

  @BeforeEach
  void start() throws Exception {
    server =
        InProcessServerBuilder.forName(NAME)
            .directExecutor()
            .addService(
                new MetadataPlaneGrpc.MetadataPlaneImplBase() {
                  @Override
                  public void recalls(RecallsRequest asked, StreamObserver<Recall> observer) {
                    ServerCallStreamObserver<Recall> call =
                        (ServerCallStreamObserver<Recall>) observer;
                    call.setOnCancelHandler(() -> {});
                    streams.add(call);
                  }
                })
            .build()
            .start();
    channel =
        InProcessChannelBuilder.forName(NAME).directExecutor().intercept(new Moments()).build();
    DataNodeChannel dataNode =
        new DataNodeChannel(
            new PlaneConnection(NAME, new ListedChannels(endpoint -> channel)),
            new GrantContext(
                new MetadataClientSettings("client", LONG, LONG, Duration.ZERO),
                () -> 0,
                new ClientCounters(),
                () -> 1));
    stream =
        new RecallStream(
            dataNode, dataNode.newBackOff(), RecallsRequest::getDefaultInstance, recalled::addAll);
  }

  @AfterEach
  void stop() {
    channel.shutdownNow();
    server.shutdownNow();
  }

  private final class Moments implements ClientInterceptor {
    @Override
    public <Q, A> ClientCall<Q, A> interceptCall(
        MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
      return new SimpleForwardingClientCall<>(next.newCall(method, options)) {
        @Override
        public void start(Listener<A> listener, Metadata headers) {
          beforeStart.run();
          super.start(listener, headers);
        }

        @Override
        public void sendMessage(Q message) {
          beforeRequest.run();
          super.sendMessage(message);
        }
      };
    }
  }

  private void assertClosed() {
    assertThatCode(() -> stream.ensureOpen()).doesNotThrowAnyException();
    assertThat(streams).allMatch(ServerCallStreamObserver::isCancelled);

    beforeStart = () -> {};
    beforeRequest = () -> {};
    streams.clear();
    stream.ensureOpen();
    assertThat(streams).as("opened anew").hasSize(1).noneMatch(s -> s.isCancelled());
    streams.get(0).onNext(Recall.newBuilder().addLeaseIds(5).build());
    assertThat(recalled).containsExactly(5L);
    stream.close();
    assertThat(streams).allMatch(ServerCallStreamObserver::isCancelled);
  }

  @Test
  void closedBeforeTheCallStarts() {
    beforeStart = () -> stream.close();
    assertClosed();
  }

  @Test
  void closedBeforeTheRequestIsSent() {
    beforeRequest = () -> stream.close();
    assertClosed();
  }
}
