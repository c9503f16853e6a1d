// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.grant;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import io.grpc.stub.StreamObserver;
import io.rdio.client.counters.ClientCounters;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.wire.proto.HelloReply;
import io.rdio.core.wire.proto.HelloRequest;
import io.rdio.core.wire.proto.MetadataPlaneGrpc;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A connection that is given up takes no later call with it. */
@Timeout(180)
class PlaneConnectionTest {
  private static final String NAME = "connection";
  private static final Duration LONG = Duration.ofMinutes(1);

  private final ListedChannels channels =
      new ListedChannels(name -> InProcessChannelBuilder.forName(name).directExecutor().build());
  private final LinkedBlockingQueue<StreamObserver<HelloReply>> asked = new LinkedBlockingQueue<>();
  private final ExecutorService readers = Executors.newCachedThreadPool();
  private Server server;
  private DataNodeChannel dataNode;

  @BeforeEach
  void start() throws Exception {
    server =
        InProcessServerBuilder.forName(NAME)
            .directExecutor()
            .addService(
                new MetadataPlaneGrpc.MetadataPlaneImplBase() {
                  @Override
                  public void hello(HelloRequest request, StreamObserver<HelloReply> observer) {
                    asked.add(observer);
                  }
                })
            .build()
            .start();
    dataNode =
        new DataNodeChannel(
            new PlaneConnection(NAME, channels),
            new GrantContext(
                new MetadataClientSettings("client", LONG, LONG, Duration.ZERO),
                () -> 0,
                new ClientCounters(),
                () -> 1));
  }

  @AfterEach
  void stop() {
    dataNode.shutdownNow();
    channels.close();
    server.shutdownNow();
    readers.shutdownNow();
  }

  private StreamObserver<HelloReply> ask(LinkedBlockingQueue<Future<HelloReply>> answers)
      throws Exception {
    answers.add(readers.submit(dataNode::hello));
    return asked.take();
  }

  private static FallbackReason reason(Future<HelloReply> answer) {
    Throwable failure = catchThrowableOfType(Exception.class, answer::get).getCause();
    return ((FallbackException) failure).reason();
  }

  private static void answer(StreamObserver<HelloReply> observer) {
    observer.onNext(HelloReply.newBuilder().setProtocolVersion(1).build());
    observer.onCompleted();
  }

  @Test
  void connectionIsReplacedOnceWhenAllItsCallsFail() throws Exception {
    LinkedBlockingQueue<Future<HelloReply>> answers = new LinkedBlockingQueue<>();
    StreamObserver<HelloReply> first = ask(answers);
    StreamObserver<HelloReply> second = ask(answers);
    first.onError(Status.UNAVAILABLE.asRuntimeException());
    assertThat(reason(answers.take())).isEqualTo(FallbackReason.METADATA_PLANE_UNREACHABLE);
    second.onError(Status.UNAVAILABLE.asRuntimeException());
    assertThat(reason(answers.take())).isEqualTo(FallbackReason.METADATA_PLANE_UNREACHABLE);
    assertThat(channels.opened).hasSize(2);
    assertThat(channels.opened).extracting(ManagedChannel::isShutdown).containsExactly(true, false);
  }

  @Test
  void callUnderWayOnTheOldConnectionIsAnswered() throws Exception {
    LinkedBlockingQueue<Future<HelloReply>> answers = new LinkedBlockingQueue<>();
    StreamObserver<HelloReply> failing = ask(answers);
    StreamObserver<HelloReply> slow = ask(answers);
    failing.onError(Status.UNAVAILABLE.asRuntimeException());
    reason(answers.take());
    answer(slow);
    assertThat(answers.take().get().getProtocolVersion()).isEqualTo(1);
  }

  @Test
  void nextCallHasTheNewConnection() throws Exception {
    LinkedBlockingQueue<Future<HelloReply>> answers = new LinkedBlockingQueue<>();
    ask(answers).onError(Status.UNAVAILABLE.asRuntimeException());
    reason(answers.take());
    answer(ask(answers));
    assertThat(answers.take().get().getProtocolVersion()).isEqualTo(1);
  }

  @Test
  void answerThatMakesNoSenseLeavesTheConnection() throws Exception {
    LinkedBlockingQueue<Future<HelloReply>> answers = new LinkedBlockingQueue<>();
    ask(answers).onError(Status.INTERNAL.asRuntimeException());
    assertThat(reason(answers.take())).isEqualTo(FallbackReason.METADATA_PLANE_ERROR);
    assertThat(channels.opened).hasSize(1);
  }

  @Test
  void nothingIsOpenedOnceItIsShut() throws Exception {
    LinkedBlockingQueue<Future<HelloReply>> answers = new LinkedBlockingQueue<>();
    ask(answers);
    dataNode.shutdownNow();
    reason(answers.take());
    assertThat(channels.opened).hasSize(1);
  }
}
