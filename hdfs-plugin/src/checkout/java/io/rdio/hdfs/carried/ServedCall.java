// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.carried;

import io.grpc.Attributes;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.Status;
import java.io.ByteArrayInputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/** A call with one message, as the DataNode sees it. For one thread at a time. */
final class ServedCall<Q, A> extends ServerCall<Q, A> implements Carrier.Call {
  /** Of any number: a connection's. */
  private static final int CLIENT_PORT = 1024;

  private final MethodDescriptor<Q, A> method;
  private final Attributes attributes;
  private final Carrier.Answers answers;
  private @Nullable Listener<Q> listener;
  private boolean closed;
  private boolean cancelled;

  ServedCall(MethodDescriptor<Q, A> method, InetAddress client, Carrier.Answers answers) {
    this.method = method;
    this.attributes =
        Attributes.newBuilder()
            .set(Grpc.TRANSPORT_ATTR_REMOTE_ADDR, new InetSocketAddress(client, CLIENT_PORT))
            .build();
    this.answers = answers;
  }

  void serve(ServerCallHandler<Q, A> handler, byte[] request) {
    Listener<Q> started = handler.startCall(this, new Metadata());
    listener = started;
    if (closed) { // refused before it was read
      started.onComplete();
      return;
    }
    started.onMessage(method.parseRequest(new ByteArrayInputStream(request)));
    started.onHalfClose();
  }

  @Override
  public void cancel() {
    Listener<Q> told = listener;
    if (!closed && !cancelled && told != null) {
      cancelled = true;
      told.onCancel();
    }
  }

  /** Without effect: the message is there. */
  @Override
  public void request(int count) {}

  @Override
  public void sendHeaders(Metadata headers) {}

  @Override
  public void sendMessage(A message) {
    answers.message(Bytes.of(method.streamResponse(message)));
  }

  @Override
  public void close(Status status, Metadata trailers) {
    if (closed) {
      return;
    }
    closed = true;
    answers.ended(CallEnd.of(status, trailers));
    Listener<Q> told = listener;
    if (told != null) {
      told.onComplete();
    }
  }

  @Override
  public boolean isCancelled() {
    return cancelled;
  }

  @Override
  public Attributes getAttributes() {
    return attributes;
  }

  @Override
  public MethodDescriptor<Q, A> getMethodDescriptor() {
    return method;
  }
}
