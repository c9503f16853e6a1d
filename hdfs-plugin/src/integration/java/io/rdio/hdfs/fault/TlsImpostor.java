// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.fault;

import io.grpc.Server;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.rdio.core.testing.TestAuthority.Identity;
import io.rdio.core.wire.proto.GrantReply;
import io.rdio.core.wire.proto.GrantRequest;
import io.rdio.core.wire.proto.HelloReply;
import io.rdio.core.wire.proto.HelloRequest;
import io.rdio.core.wire.proto.MetadataPlaneGrpc;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Somebody else on the plugin's port, who would answer anything if only it were asked. */
final class TlsImpostor extends MetadataPlaneGrpc.MetadataPlaneImplBase implements AutoCloseable {
  private final AtomicInteger calls = new AtomicInteger();
  private final Server server;

  /**
   * @param port 0 for a free one
   * @param identity what it shows; null for plain text
   */
  TlsImpostor(int port, @Nullable Identity identity) throws IOException {
    NettyServerBuilder builder =
        NettyServerBuilder.forAddress(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    if (identity != null) {
      builder.sslContext(
          GrpcSslContexts.configure(
                  SslContextBuilder.forServer(identity.key(), identity.certificate()),
                  SslProvider.JDK)
              .build());
    }
    server = builder.addService(this).build().start();
  }

  int port() {
    return server.getPort();
  }

  /** How often it was asked anything. */
  int calls() {
    return calls.get();
  }

  @Override
  public void hello(HelloRequest asked, StreamObserver<HelloReply> observer) {
    calls.incrementAndGet();
    observer.onNext(HelloReply.newBuilder().setProtocolVersion(asked.getProtocolVersion()).build());
    observer.onCompleted();
  }

  @Override
  public void grant(GrantRequest asked, StreamObserver<GrantReply> observer) {
    calls.incrementAndGet();
    observer.onNext(GrantReply.getDefaultInstance());
    observer.onCompleted();
  }

  @Override
  public void close() {
    server.shutdownNow();
  }
}
