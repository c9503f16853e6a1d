// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.fault;

import io.grpc.Attributes;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.netty.NettyChannelBuilder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/** Takes what it can from addresses 127.0.7.x of this host, and lets go of nothing. */
final class HostileClient implements AutoCloseable {
  private final int port;
  private final List<Socket> sockets = new ArrayList<>();
  private final List<ManagedChannel> channels = new ArrayList<>();
  private final Queue<Status> endings = new ConcurrentLinkedQueue<>();
  private volatile boolean closed;

  HostileClient(int port) {
    this.port = port;
  }

  /** How calls that were not broken off by this client itself have ended. */
  Queue<Status> endings() {
    return endings;
  }

  /** Opens a connection, says so much on it and then nothing more. */
  void connect(int host, byte[] says) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port, address(host), 0);
    sockets.add(socket);
    try {
      socket.getOutputStream().write(says);
    } catch (IOException closed) {
      // By the other side, which had enough.
    }
  }

  private static InetAddress address(int host) throws UnknownHostException {
    return InetAddress.getByAddress(new byte[] {127, 0, 7, (byte) host});
  }

  ManagedChannel channel(int host) throws UnknownHostException {
    InetAddress from = address(host);
    ManagedChannel channel =
        NettyChannelBuilder.forAddress("127.0.0.1", port)
            .usePlaintext()
            .localSocketPicker(
                new NettyChannelBuilder.LocalSocketPicker() {
                  @Override
                  public SocketAddress createSocketAddress(
                      SocketAddress remote, Attributes attributes) {
                    return new InetSocketAddress(from, 0);
                  }
                })
            .disableRetry()
            .build();
    channels.add(channel);
    return channel;
  }

  /** Sends a whole request and takes nothing of the answer. */
  <Q, A> ClientCall<Q, A> ask(ManagedChannel channel, MethodDescriptor<Q, A> method, Q request) {
    ClientCall<Q, A> call = channel.newCall(method, CallOptions.DEFAULT);
    call.start(
        new ClientCall.Listener<>() {
          @Override
          public void onClose(Status status, Metadata trailers) {
            if (status.getCode() != Status.Code.CANCELLED) {
              endings.add(status);
            }
          }
        },
        new Metadata());
    call.sendMessage(request);
    call.halfClose();
    return call;
  }

  /**
   * Asks the same again and again, so many calls at a time, and takes the answers, until this is
   * closed.
   *
   * @return how often calls have ended so
   */
  <Q, A> ConcurrentMap<Status.Code, LongAdder> flood(
      ManagedChannel channel, MethodDescriptor<Q, A> method, Q request, int atATime) {
    ConcurrentMap<Status.Code, LongAdder> ended = new ConcurrentHashMap<>();
    for (int i = 0; i < atATime; i++) {
      askAgain(channel, method, request, ended);
    }
    return ended;
  }

  private <Q, A> void askAgain(
      ManagedChannel channel,
      MethodDescriptor<Q, A> method,
      Q request,
      ConcurrentMap<Status.Code, LongAdder> ended) {
    if (closed) {
      return;
    }
    ClientCall<Q, A> call = channel.newCall(method, CallOptions.DEFAULT);
    call.start(
        new ClientCall.Listener<>() {
          @Override
          public void onClose(Status status, Metadata trailers) {
            ended.computeIfAbsent(status.getCode(), unused -> new LongAdder()).increment();
            askAgain(channel, method, request, ended);
          }
        },
        new Metadata());
    call.request(2);
    call.sendMessage(request);
    call.halfClose();
  }

  @Override
  public void close() throws IOException {
    closed = true;
    for (Socket socket : sockets) {
      socket.close();
    }
    channels.forEach(ManagedChannel::shutdownNow);
    try {
      for (ManagedChannel channel : channels) {
        channel.awaitTermination(5, TimeUnit.SECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
