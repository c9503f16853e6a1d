// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.metadata;

import io.grpc.Attributes;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.netty.NettyChannelBuilder;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

/** A client that sends what it likes, from an address of this host that it chooses. */
final class GreedyClient implements AutoCloseable {
  /** Answers that are refusals; calls that were answered with OK are not here. */
  final Queue<Status> refusals = new ConcurrentLinkedQueue<>();

  private final int port;
  private final String address;
  private final List<ManagedChannel> channels = new ArrayList<>();
  private ManagedChannel current;

  GreedyClient(String address, int port) {
    this.address = address;
    this.port = port;
    this.current = connect();
  }

  /** Opens one more connection, for the calls that follow. */
  ManagedChannel connect() {
    current =
        NettyChannelBuilder.forAddress("127.0.0.1", port)
            .usePlaintext()
            .localSocketPicker(
                new NettyChannelBuilder.LocalSocketPicker() {
                  @Override
                  public SocketAddress createSocketAddress(
                      SocketAddress remote, Attributes attributes) {
                    return new InetSocketAddress(address, 0);
                  }
                })
            .disableRetry()
            .build();
    channels.add(current);
    return current;
  }

  /** Sends a request and leaves the call open. */
  ClientCall<byte[], byte[]> openCall(MethodDescriptor<?, ?> method, byte[] request) {
    return send(method, request, new CompletableFuture<>());
  }

  /** Sends bytes as a request of a method and waits for the outcome. */
  Status call(MethodDescriptor<?, ?> method, byte[] request) {
    CompletableFuture<Status> outcome = new CompletableFuture<>();
    send(method, request, outcome).halfClose();
    return outcome.orTimeout(10, TimeUnit.SECONDS).join();
  }

  private ClientCall<byte[], byte[]> send(
      MethodDescriptor<?, ?> method, byte[] request, CompletableFuture<Status> outcome) {
    ClientCall<byte[], byte[]> call =
        current.newCall(raw(method), CallOptions.DEFAULT.withDeadlineAfter(60, TimeUnit.SECONDS));
    call.start(
        new ClientCall.Listener<>() {
          @Override
          public void onClose(Status status, Metadata trailers) {
            if (!status.isOk()) {
              refusals.add(status);
            }
            outcome.complete(status);
          }
        },
        new Metadata());
    call.request(Integer.MAX_VALUE);
    call.sendMessage(request);
    return call;
  }

  private static MethodDescriptor<byte[], byte[]> raw(MethodDescriptor<?, ?> method) {
    return MethodDescriptor.<byte[], byte[]>newBuilder(new Bytes(), new Bytes())
        // So that nothing is kept back until the call is half-closed.
        .setType(MethodDescriptor.MethodType.BIDI_STREAMING)
        .setFullMethodName(method.getFullMethodName())
        .build();
  }

  @Override
  public void close() {
    channels.forEach(ManagedChannel::shutdownNow);
  }

  private static final class Bytes implements MethodDescriptor.Marshaller<byte[]> {
    @Override
    public InputStream stream(byte[] bytes) {
      return new ByteArrayInputStream(bytes);
    }

    @Override
    public byte[] parse(InputStream stream) {
      try {
        return stream.readAllBytes();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
