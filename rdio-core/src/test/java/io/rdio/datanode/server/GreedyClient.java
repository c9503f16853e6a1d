// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.server;

import io.grpc.Attributes;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.netty.NettyChannelBuilder;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

/** A client that sends what it likes, from an address of this host that it chooses. */
public final class GreedyClient implements AutoCloseable {
  /** Answers that are refusals; calls that were answered with OK are not here. */
  final Queue<Status> refusals = new ConcurrentLinkedQueue<>();

  private final int port;
  private final String address;
  private final List<ManagedChannel> channels = new ArrayList<>();
  private ManagedChannel current;

  public GreedyClient(String address, int port) {
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
    return send(method, request, new Answer());
  }

  /** Sends bytes as a request of a method and waits for the outcome. */
  Status call(MethodDescriptor<?, ?> method, byte[] request) {
    Answer answer = new Answer();
    send(method, request, answer).halfClose();
    return answer.status.orTimeout(10, TimeUnit.SECONDS).join();
  }

  /** Sends bytes as a request of a method and waits for the first message of the answer. */
  public byte[] firstAnswer(MethodDescriptor<?, ?> method, byte[] request) {
    Answer answer = new Answer();
    ClientCall<byte[], byte[]> call = send(method, request, answer);
    call.halfClose();
    try {
      return answer.message.orTimeout(10, TimeUnit.SECONDS).join();
    } finally {
      call.cancel("answered", null);
    }
  }

  private ClientCall<byte[], byte[]> send(
      MethodDescriptor<?, ?> method, byte[] request, Answer answer) {
    ClientCall<byte[], byte[]> call =
        current.newCall(
            // So that nothing is kept back until the call is half-closed.
            RawBytes.method(method, MethodDescriptor.MethodType.BIDI_STREAMING),
            CallOptions.DEFAULT.withDeadlineAfter(60, TimeUnit.SECONDS));
    call.start(answer, new Metadata());
    call.request(Integer.MAX_VALUE);
    call.sendMessage(request);
    return call;
  }

  private final class Answer extends ClientCall.Listener<byte[]> {
    final CompletableFuture<byte[]> message = new CompletableFuture<>();
    final CompletableFuture<Status> status = new CompletableFuture<>();

    @Override
    public void onMessage(byte[] bytes) {
      message.complete(bytes);
    }

    @Override
    public void onClose(Status closed, Metadata trailers) {
      if (!closed.isOk()) {
        refusals.add(closed);
      }
      message.completeExceptionally(new IllegalStateException(closed.toString()));
      status.complete(closed);
    }
  }

  @Override
  public void close() {
    channels.forEach(ManagedChannel::shutdownNow);
  }
}
