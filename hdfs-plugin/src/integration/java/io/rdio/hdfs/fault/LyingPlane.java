// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.fault;

import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
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
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.UnaryOperator;

/** A plugin that asks the real one and changes what it says. */
final class LyingPlane extends MetadataPlaneGrpc.MetadataPlaneImplBase implements AutoCloseable {
  private final ManagedChannel plugin;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final Server server;

  volatile UnaryOperator<HelloReply> hello = UnaryOperator.identity();
  volatile UnaryOperator<OpenSessionReply> session = UnaryOperator.identity();
  volatile UnaryOperator<GrantRequest> request = UnaryOperator.identity();
  volatile UnaryOperator<GrantReply> grant = UnaryOperator.identity();
  volatile UnaryOperator<RenewReply> renewal = UnaryOperator.identity();

  LyingPlane(int pluginPort) throws IOException {
    plugin = NettyChannelBuilder.forAddress("127.0.0.1", pluginPort).usePlaintext().build();
    server =
        NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .executor(threads)
            .addService(this)
            .build()
            .start();
  }

  int port() {
    return server.getPort();
  }

  /** Tells the truth from now on. */
  void behave() {
    hello = UnaryOperator.identity();
    session = UnaryOperator.identity();
    request = UnaryOperator.identity();
    grant = UnaryOperator.identity();
    renewal = UnaryOperator.identity();
  }

  private MetadataPlaneGrpc.MetadataPlaneBlockingStub real() {
    return MetadataPlaneGrpc.newBlockingStub(plugin);
  }

  private static <T> void answer(StreamObserver<T> observer, T reply) {
    observer.onNext(reply);
    observer.onCompleted();
  }

  @Override
  public void hello(HelloRequest asked, StreamObserver<HelloReply> observer) {
    answer(observer, hello.apply(real().hello(asked)));
  }

  @Override
  public void openSession(OpenSessionRequest asked, StreamObserver<OpenSessionReply> observer) {
    answer(observer, session.apply(real().openSession(asked)));
  }

  @Override
  public void grant(GrantRequest asked, StreamObserver<GrantReply> observer) {
    answer(observer, grant.apply(real().grant(request.apply(asked))));
  }

  @Override
  public void renew(RenewRequest asked, StreamObserver<RenewReply> observer) {
    answer(observer, renewal.apply(real().renew(asked)));
  }

  @Override
  public void return_(ReturnRequest asked, StreamObserver<ReturnReply> observer) {
    answer(observer, real().return_(asked));
  }

  @Override
  public void recalls(RecallsRequest asked, StreamObserver<Recall> observer) {
    MetadataPlaneGrpc.newStub(plugin).recalls(asked, observer);
  }

  @Override
  public void close() {
    server.shutdownNow();
    plugin.shutdownNow();
    threads.shutdownNow();
  }
}
