// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import io.grpc.CallOptions;
import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import io.grpc.stub.ClientCalls;
import io.rdio.core.block.BlockKey;
import io.rdio.core.wire.BlockIds;
import io.rdio.core.wire.GrantProof;
import io.rdio.core.wire.ProtocolRange;
import io.rdio.core.wire.ProtocolVersion;
import io.rdio.core.wire.proto.BlockRequest;
import io.rdio.core.wire.proto.GrantRequest;
import io.rdio.core.wire.proto.HelloRequest;
import io.rdio.core.wire.proto.ListLeasesRequest;
import io.rdio.core.wire.proto.MetadataPlaneGrpc;
import io.rdio.core.wire.proto.OpenSessionRequest;
import io.rdio.core.wire.proto.RecallsRequest;
import io.rdio.core.wire.proto.RenewRequest;
import io.rdio.core.wire.proto.ReturnRequest;
import io.rdio.datanode.grant.FakeHdfs;
import io.rdio.datanode.grant.GrantFixture;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** An {@code Error} in each of the calls there are: it is answered and counted, and the next. */
final class ErrorInAnyCallTest {
  private static final String NAME = "error-in-any-call";
  private static final String CLIENT = "client";

  /** More than an address may have under way of any kind but grants. */
  private static final int TIMES = MetadataServerLimits.LISTINGS_PER_ADDRESS + 1;

  @TempDir Path root;
  private final AtomicBoolean failsToAnswer = new AtomicBoolean();
  private final AtomicBoolean failsToBegin = new AtomicBoolean();
  private final ExecutorService threads = Executors.newFixedThreadPool(2);
  private GrantFixture dataNode;
  private ServerRecallStreams recallStreams;
  private Server server;
  private ManagedChannel channel;

  /** Fails where a message of the answer is sent. */
  private final class Answers implements ServerInterceptor {
    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
        ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
      return next.startCall(
          new SimpleForwardingServerCall<>(call) {
            @Override
            public void sendMessage(A message) {
              failIf(failsToAnswer);
              super.sendMessage(message);
            }
          },
          headers);
    }
  }

  private static void failIf(AtomicBoolean wanted) {
    if (wanted.get()) {
      throw new OutOfMemoryError("thrown by the test");
    }
  }

  @BeforeEach
  void start() throws IOException {
    dataNode = new GrantFixture(root);
    recallStreams = new ServerRecallStreams(dataNode.service, 1);
    Executor noMoreThreads =
        work -> {
          failIf(failsToBegin);
          threads.execute(work);
        };
    MetadataPlaneService service =
        new MetadataPlaneService(
            dataNode.service,
            null,
            new ServerSessions(dataNode.service),
            noMoreThreads,
            noMoreThreads,
            recallStreams,
            ProtocolRange.SUPPORTED);
    server =
        InProcessServerBuilder.forName(NAME)
            .executor(threads)
            .intercept(new Answers())
            .addService(service)
            .build()
            .start();
    channel = InProcessChannelBuilder.forName(NAME).build();
  }

  @AfterEach
  void stop() {
    channel.shutdownNow();
    server.shutdownNow();
    threads.shutdownNow();
  }

  static Stream<Named<MethodDescriptor<?, ?>>> methods() {
    return MetadataPlaneGrpc.getServiceDescriptor().getMethods().stream()
        .map(method -> Named.of(method.getBareMethodName(), method));
  }

  private MessageLite request(MethodDescriptor<?, ?> method, BlockKey block) {
    return switch (String.valueOf(method.getBareMethodName())) {
      case "Hello" -> HelloRequest.getDefaultInstance();
      case "OpenSession" ->
          OpenSessionRequest.newBuilder()
              .setClientId(CLIENT)
              .setBlock(BlockIds.encode(block))
              .setNonce(GrantProof.newNonce())
              .build();
      case "Grant" ->
          GrantRequest.newBuilder()
              .setProtocolVersion(ProtocolVersion.CURRENT)
              .setClientId(CLIENT)
              .addBlocks(
                  BlockRequest.newBuilder()
                      .setBlock(BlockIds.encode(block))
                      .setToken(ByteString.copyFrom(FakeHdfs.TOKEN)))
              .build();
      case "Renew" -> RenewRequest.newBuilder().setClientId(CLIENT).build();
      case "Return" -> ReturnRequest.newBuilder().setClientId(CLIENT).build();
      case "Recalls" -> RecallsRequest.newBuilder().setClientId(CLIENT).build();
      case "ListLeases" -> ListLeasesRequest.getDefaultInstance();
      default -> throw new AssertionError("which request has " + method.getFullMethodName() + "?");
    };
  }

  /** The first message of the answer, or else the status. */
  @SuppressWarnings("unchecked")
  private <Q, A> Status call(MethodDescriptor<Q, A> method, MessageLite request) {
    Iterator<A> answers =
        ClientCalls.blockingServerStreamingCall(
            channel,
            method.toBuilder().setType(MethodDescriptor.MethodType.SERVER_STREAMING).build(),
            CallOptions.DEFAULT.withDeadlineAfter(20, TimeUnit.SECONDS),
            (Q) request);
    try {
      return answers.hasNext() ? Status.OK : Status.UNKNOWN;
    } catch (StatusRuntimeException e) {
      return e.getStatus();
    }
  }

  private void isAnsweredInAnyCase(MethodDescriptor<?, ?> method, AtomicBoolean fails) {
    // One that is asked back, so that a stream of recalls begins with an answer.
    BlockKey gone = dataNode.hdfs.write(1, 100);
    dataNode.lease(CLIENT, gone);
    dataNode.hdfs.delete(gone);
    dataNode.service.sweep();
    MessageLite request = request(method, dataNode.hdfs.write(2, 100));
    fails.set(true);

    for (int i = 1; i <= TIMES; i++) {
      assertThat(call(method, request).getCode()).isEqualTo(Status.Code.INTERNAL);
      assertThat(dataNode.service.counters().failures()).isEqualTo(i);
    }
    assertThat(recallStreams.size()).isZero();

    fails.set(false);
    assertThat(call(method, request).getCode()).isEqualTo(Status.Code.OK);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("methods")
  void errorWhereItIsAnsweredIsAnswered(MethodDescriptor<?, ?> method) {
    isAnsweredInAnyCase(method, failsToAnswer);
  }

  @Test
  void errorWhereNoThreadIsToBeHadIsAnswered() {
    isAnsweredInAnyCase(MetadataPlaneGrpc.getGrantMethod(), failsToBegin);
  }

  @Test
  void listForWhichNoThreadIsToBeHadIsAnswered() {
    isAnsweredInAnyCase(MetadataPlaneGrpc.getListLeasesMethod(), failsToBegin);
  }
}
