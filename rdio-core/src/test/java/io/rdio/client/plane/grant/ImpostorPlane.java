// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.grant;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.StatusRuntimeException;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import io.grpc.stub.StreamObserver;
import io.rdio.core.wire.ChannelFactory;
import io.rdio.core.wire.proto.GrantReply;
import io.rdio.core.wire.proto.GrantRequest;
import io.rdio.core.wire.proto.HelloReply;
import io.rdio.core.wire.proto.HelloRequest;
import io.rdio.core.wire.proto.MetadataPlaneGrpc;
import io.rdio.core.wire.proto.OpenSessionReply;
import io.rdio.core.wire.proto.OpenSessionRequest;
import io.rdio.core.wire.proto.Recall;
import io.rdio.core.wire.proto.RecallsRequest;
import io.rdio.core.wire.proto.RenewReply;
import io.rdio.core.wire.proto.RenewRequest;
import io.rdio.core.wire.proto.ReturnReply;
import io.rdio.core.wire.proto.ReturnRequest;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.Supplier;

/**
 * Somebody between a client and its DataNode, who keeps all requests and answers what he likes, the
 * DataNode's answer in his hands. Without a DataNode he sees an empty one.
 */
final class ImpostorPlane extends MetadataPlaneGrpc.MetadataPlaneImplBase
    implements ChannelFactory {
  private static final String NAME = "impostor";

  final List<MessageLite> requests = new CopyOnWriteArrayList<>();
  volatile BiFunction<HelloRequest, HelloReply, HelloReply> hello = (asked, reply) -> reply;
  volatile BiFunction<OpenSessionRequest, OpenSessionReply, OpenSessionReply> session =
      (asked, reply) -> reply;
  volatile BiFunction<GrantRequest, GrantReply, GrantReply> grant = (asked, reply) -> reply;
  volatile BiFunction<RenewRequest, RenewReply, RenewReply> renewal = (asked, reply) -> reply;
  private final Server server;
  private final ManagedChannel channel;
  private final List<ManagedChannel> clients = new ArrayList<>();
  private volatile boolean dataNodeUp = true;

  /**
   * @param dataNode whom to ask
   */
  ImpostorPlane(ManagedChannel dataNode) throws IOException {
    channel = dataNode;
    server = InProcessServerBuilder.forName(NAME).directExecutor().addService(this).build().start();
  }

  /** From now on he is alone. */
  void dataNodeIsDown() {
    dataNodeUp = false;
  }

  /** Whether any request had these bytes in it. */
  boolean saw(byte[] secret) {
    ByteString bytes = ByteString.copyFrom(secret);
    return requests.stream().anyMatch(request -> contains(request.toByteString(), bytes));
  }

  private static boolean contains(ByteString whole, ByteString part) {
    for (int i = 0; i + part.size() <= whole.size(); i++) {
      if (whole.substring(i, i + part.size()).equals(part)) {
        return true;
      }
    }
    return false;
  }

  <T> List<T> requests(Class<T> type) {
    return requests.stream().filter(type::isInstance).map(type::cast).toList();
  }

  private MetadataPlaneGrpc.MetadataPlaneBlockingStub real() {
    return MetadataPlaneGrpc.newBlockingStub(channel)
        .withWaitForReady()
        .withDeadlineAfter(20, TimeUnit.SECONDS);
  }

  private static <T> void answer(StreamObserver<T> observer, Supplier<T> makeReply) {
    T reply;
    try {
      reply = makeReply.get();
    } catch (StatusRuntimeException dataNodesOwn) {
      observer.onError(dataNodesOwn);
      return;
    }
    observer.onNext(reply);
    observer.onCompleted();
  }

  @Override
  public void hello(HelloRequest asked, StreamObserver<HelloReply> observer) {
    requests.add(asked);
    answer(
        observer,
        () ->
            hello.apply(asked, dataNodeUp ? real().hello(asked) : HelloReply.getDefaultInstance()));
  }

  @Override
  public void openSession(OpenSessionRequest asked, StreamObserver<OpenSessionReply> observer) {
    requests.add(asked);
    answer(
        observer,
        () ->
            session.apply(
                asked,
                dataNodeUp ? real().openSession(asked) : OpenSessionReply.getDefaultInstance()));
  }

  @Override
  public void grant(GrantRequest asked, StreamObserver<GrantReply> observer) {
    requests.add(asked);
    answer(
        observer,
        () ->
            grant.apply(asked, dataNodeUp ? real().grant(asked) : GrantReply.getDefaultInstance()));
  }

  @Override
  public void renew(RenewRequest asked, StreamObserver<RenewReply> observer) {
    requests.add(asked);
    answer(
        observer,
        () ->
            renewal.apply(
                asked, dataNodeUp ? real().renew(asked) : RenewReply.getDefaultInstance()));
  }

  @Override
  public void return_(ReturnRequest asked, StreamObserver<ReturnReply> observer) {
    requests.add(asked);
    answer(observer, () -> dataNodeUp ? real().return_(asked) : ReturnReply.getDefaultInstance());
  }

  @Override
  public void recalls(RecallsRequest asked, StreamObserver<Recall> observer) {
    requests.add(asked);
    MetadataPlaneGrpc.newStub(channel).recalls(asked, observer);
  }

  @Override
  public ManagedChannel open(String endpoint) {
    ManagedChannel client = InProcessChannelBuilder.forName(NAME).directExecutor().build();
    clients.add(client);
    return client;
  }

  @Override
  public void close() {
    clients.forEach(ManagedChannel::shutdownNow);
    server.shutdownNow();
  }
}
