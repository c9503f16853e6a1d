// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.grant;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.Channel;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import io.grpc.stub.StreamObserver;
import io.rdio.client.counters.ClientCounters;
import io.rdio.core.wire.proto.HelloReply;
import io.rdio.core.wire.proto.HelloRequest;
import io.rdio.core.wire.proto.MetadataPlaneGrpc;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Whether a DataNode is there of which nothing is heard on a call that waits. */
final class DataNodeThereTest {
  private static final String NAME = "there-or-not";
  private static final Duration LONG = Duration.ofSeconds(20);

  private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5); // wraps round
  private final AtomicInteger asked = new AtomicInteger();
  private final ListedChannels channels =
      new ListedChannels(endpoint -> InProcessChannelBuilder.forName(NAME).build());

  /** What becomes of a Hello: at first it is not answered. */
  private volatile Consumer<StreamObserver<HelloReply>> hello = observer -> {};

  private Server server;
  private PlaneConnection connection;
  private DataNodeChannel dataNode;

  @BeforeEach
  void start() throws IOException {
    server =
        InProcessServerBuilder.forName(NAME)
            .directExecutor()
            .addService(
                new MetadataPlaneGrpc.MetadataPlaneImplBase() {
                  @Override
                  public void hello(HelloRequest request, StreamObserver<HelloReply> observer) {
                    asked.incrementAndGet();
                    hello.accept(observer);
                  }
                })
            .build()
            .start();
    connection = new PlaneConnection("datanode:9860", channels);
    dataNode =
        new DataNodeChannel(
            connection,
            new GrantContext(
                new MetadataClientSettings("client", Duration.ofSeconds(1), LONG, LONG),
                nanos::get,
                new ClientCounters(),
                () -> 0.5));
  }

  @AfterEach
  void stop() {
    channels.close();
    server.shutdownNow();
  }

  /** Another call is answered. */
  private void answered() {
    nanos.incrementAndGet();
    dataNode.answered();
  }

  private void requireSilent(Channel waiting) {
    assertThatThrownBy(() -> dataNode.requireThere(waiting))
        .isInstanceOfSatisfying(
            StatusRuntimeException.class,
            e -> assertThat(e.getStatus().getCode()).isEqualTo(Status.Code.UNAVAILABLE));
    assertThat(asked).hasValue(1);
  }

  @Test
  void oneThatAnswersNothingIsSilentWhateverItAnsweredBefore() {
    answered();
    requireSilent(connection.current());
  }

  /** As where so many calls are under way on the connection that this one was not even sent. */
  @Test
  void oneThatAnswersAnotherCallMeanwhileIsThere() {
    hello = observer -> answered();
    dataNode.requireThere(connection.current());
    assertThat(asked).hasValue(1);
  }

  /** Which says nothing of the one on which the call waits. */
  @Test
  void oneThatAnswersByAnotherConnectionMayBeSilent() {
    hello = observer -> answered();
    requireSilent(channels.open("datanode:9860"));
  }

  /** It has answered that it has no room for one more call. */
  @Test
  void oneThatRefusesIsThere() {
    hello = observer -> observer.onError(Status.RESOURCE_EXHAUSTED.asRuntimeException());
    dataNode.requireThere(connection.current());
    assertThat(asked).hasValue(1);
  }
}
