// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.metadata;

import io.grpc.Contexts;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Bounds the calls that one address has open, streams of recalls and answers that it does not take
 * included: each of them holds memory. Tells the service where a call comes from.
 */
final class ServerCallLimit implements ServerInterceptor {
  private final AddressShares calls;

  ServerCallLimit(int callsPerAddress) {
    calls = new AddressShares(callsPerAddress);
  }

  @Override
  public <Q, A> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
    String address = ClientAddress.of(call.getAttributes());
    if (!calls.take(address)) {
      call.close(
          Status.RESOURCE_EXHAUSTED.withDescription(
              address + " has " + calls.max() + " calls open; this DataNode serves no more"),
          new Metadata());
      return new ServerCall.Listener<>() {};
    }
    boolean started = false;
    try {
      ServerCall.Listener<Q> listener =
          Contexts.interceptCall(ClientAddress.contextWith(address), call, headers, next);
      started = true;
      return new Counted<>(listener, address);
    } finally {
      if (!started) {
        calls.giveBack(address);
      }
    }
  }

  private final class Counted<Q> extends SimpleForwardingServerCallListener<Q> {
    private final String address;
    private final AtomicBoolean open = new AtomicBoolean(true);

    Counted(ServerCall.Listener<Q> listener, String address) {
      super(listener);
      this.address = address;
    }

    @Override
    public void onCancel() {
      ended();
      super.onCancel();
    }

    @Override
    public void onComplete() {
      ended();
      super.onComplete();
    }

    private void ended() {
      if (open.compareAndSet(true, false)) {
        calls.giveBack(address);
      }
    }
  }
}
