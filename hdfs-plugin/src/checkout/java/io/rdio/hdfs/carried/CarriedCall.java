// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.carried;

import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.io.ByteArrayInputStream;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A client's call with one message, which the carrier gets. For one thread at a time. */
final class CarriedCall<Q, A> extends ClientCall<Q, A> {
  private final String endpoint;
  private final MethodDescriptor<Q, A> method;
  private final Carrier carrier;
  private @Nullable Listener<A> listener;
  private @Nullable Q request;
  private Carrier.@Nullable Call underWay;
  private boolean ended;

  CarriedCall(String endpoint, MethodDescriptor<Q, A> method, Carrier carrier) {
    this.endpoint = endpoint;
    this.method = method;
    this.carrier = carrier;
  }

  @Override
  public void start(Listener<A> responses, Metadata headers) {
    listener = responses;
  }

  /** Without effect: whoever carries it brings what there is. */
  @Override
  public void request(int count) {}

  @Override
  public void sendMessage(Q message) {
    request = message;
  }

  @Override
  public void halfClose() {
    byte[] bytes = Bytes.of(method.streamRequest(Objects.requireNonNull(request)));
    underWay = carrier.carry(endpoint, method.getFullMethodName(), bytes, new Heard());
  }

  @Override
  public void cancel(@Nullable String message, @Nullable Throwable cause) {
    Carrier.Call call = underWay;
    end(Status.CANCELLED.withDescription(message).withCause(cause), new Metadata());
    if (call != null) {
      call.cancel();
    }
  }

  private void end(Status status, Metadata trailers) {
    if (!ended) {
      ended = true;
      Objects.requireNonNull(listener).onClose(status, trailers);
    }
  }

  private final class Heard implements Carrier.Answers {
    @Override
    public void message(byte[] bytes) {
      if (!ended) {
        A answer = method.parseResponse(new ByteArrayInputStream(bytes));
        Objects.requireNonNull(listener).onMessage(answer);
      }
    }

    @Override
    public void ended(CallEnd end) {
      end(end.status(), end.trailers());
    }
  }
}
