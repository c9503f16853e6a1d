// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.server;

import io.grpc.Contexts;
import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.rdio.core.wire.RetryAfter;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Bounds the calls that are open, of one address and of all, streams of recalls and answers that
 * are not taken included: each of them holds memory. Requests of which only a part has come are
 * bounded apart, for such a part may be half a megabyte. Tells the service where a call comes from,
 * and whoever is refused for lack of room when to come again.
 */
final class ServerCallLimit implements ServerInterceptor {
  private static final long RETRY_AFTER_MILLIS = 1_000;

  private final AddressShares calls;
  private final AddressShares incoming;

  /**
   * @param writes whether messages may be as large as the parts of a commit
   */
  ServerCallLimit(MetadataServerLimits limits, boolean writes) {
    calls = new AddressShares(limits.callsPerAddress(), limits.calls());
    incoming =
        writes
            ? new AddressShares(
                MetadataServerLimits.INCOMING_WITH_WRITES_PER_ADDRESS,
                MetadataServerLimits.INCOMING_WITH_WRITES_MAX)
            : new AddressShares(
                MetadataServerLimits.INCOMING_PER_ADDRESS, MetadataServerLimits.INCOMING_MAX);
  }

  @Override
  public <Q, A> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
    String address = ClientAddress.of(call.getAttributes());
    if (!calls.take(address)) {
      return refuse(call, calls.text(address, "calls"));
    }
    if (!incoming.take(address)) {
      calls.giveBack(address);
      return refuse(call, incoming.text(address, "incomplete requests"));
    }
    boolean started = false;
    try {
      ServerCall.Listener<Q> listener =
          Contexts.interceptCall(
              ClientAddress.contextWith(address), new WithRetryAfter<>(call), headers, next);
      started = true;
      return new Counted<>(listener, address);
    } finally {
      if (!started) {
        incoming.giveBack(address);
        calls.giveBack(address);
      }
    }
  }

  private static <Q, A> ServerCall.Listener<Q> refuse(ServerCall<Q, A> call, String text) {
    call.close(
        Status.RESOURCE_EXHAUSTED.withDescription(text), RetryAfter.trailers(RETRY_AFTER_MILLIS));
    return new ServerCall.Listener<>() {};
  }

  private static final class WithRetryAfter<Q, A> extends SimpleForwardingServerCall<Q, A> {
    WithRetryAfter(ServerCall<Q, A> call) {
      super(call);
    }

    @Override
    public void close(Status status, Metadata trailers) {
      if (status.getCode() == Status.Code.RESOURCE_EXHAUSTED) {
        RetryAfter.add(trailers, RETRY_AFTER_MILLIS);
      }
      super.close(status, trailers);
    }
  }

  private final class Counted<Q> extends SimpleForwardingServerCallListener<Q> {
    private final String address;
    private final AtomicBoolean open = new AtomicBoolean(true);
    private final AtomicBoolean incomplete = new AtomicBoolean(true);

    Counted(ServerCall.Listener<Q> listener, String address) {
      super(listener);
      this.address = address;
    }

    @Override
    public void onHalfClose() {
      complete();
      super.onHalfClose();
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

    private void complete() {
      if (incomplete.compareAndSet(true, false)) {
        incoming.giveBack(address);
      }
    }

    private void ended() {
      complete();
      if (open.compareAndSet(true, false)) {
        calls.giveBack(address);
      }
    }
  }
}
