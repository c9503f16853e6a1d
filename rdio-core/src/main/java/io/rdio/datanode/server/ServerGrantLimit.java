// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.server;

import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.rdio.core.wire.RetryAfter;
import io.rdio.core.wire.proto.MetadataPlaneGrpc;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;

/**
 * Bounds the grant requests that wait or are at work, of one address and of all, until they are
 * answered or given up. More are refused with RESOURCE_EXHAUSTED, and told when their turn is.
 */
final class ServerGrantLimit implements ServerInterceptor {
  private static final String GRANT = MetadataPlaneGrpc.getGrantMethod().getFullMethodName();

  private final AddressShares underWay;
  private final LongSupplier clock;
  private final ServerTurns turns;

  /**
   * @param clock monotonic, in nanoseconds
   */
  ServerGrantLimit(int perAddress, int max, LongSupplier clock) {
    this.underWay = new AddressShares(Math.min(perAddress, max), max);
    this.clock = clock;
    this.turns = new ServerTurns(clock);
  }

  @Override
  public <Q, A> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
    if (!call.getMethodDescriptor().getFullMethodName().equals(GRANT)) {
      return next.startCall(call, headers);
    }
    String address = ClientAddress.of(call.getAttributes());
    if (!underWay.take(address)) {
      call.close(
          Status.RESOURCE_EXHAUSTED.withDescription(underWay.text(address, "grant requests")),
          RetryAfter.trailers(turns.nextMillis()));
      return new ServerCall.Listener<>() {};
    }
    Place place = new Place(address);
    boolean started = false;
    try {
      ServerCall.Listener<Q> listener = next.startCall(new Answered<>(call, place), headers);
      started = true;
      return new Listening<>(listener, place);
    } finally {
      if (!started) {
        place.free();
      }
    }
  }

  private final class Place {
    private final String address;
    private final long began = clock.getAsLong();
    private final AtomicBoolean taken = new AtomicBoolean(true);

    Place(String address) {
      this.address = address;
    }

    void answered(boolean granted) {
      if (granted) {
        turns.ended(clock.getAsLong() - began, underWay.total());
      }
      free();
    }

    void free() {
      if (taken.compareAndSet(true, false)) {
        underWay.giveBack(address);
      }
    }
  }

  private final class Answered<Q, A> extends SimpleForwardingServerCall<Q, A> {
    private final Place place;

    Answered(ServerCall<Q, A> call, Place place) {
      super(call);
      this.place = place;
    }

    @Override
    public void close(Status status, Metadata trailers) {
      place.answered(status.isOk());
      if (status.getCode() == Status.Code.RESOURCE_EXHAUSTED) {
        RetryAfter.add(trailers, turns.nextMillis());
      }
      super.close(status, trailers);
    }
  }

  private static final class Listening<Q> extends SimpleForwardingServerCallListener<Q> {
    private final Place place;

    Listening(ServerCall.Listener<Q> listener, Place place) {
      super(listener);
      this.place = place;
    }

    @Override
    public void onCancel() {
      place.free();
      super.onCancel();
    }

    @Override
    public void onComplete() {
      place.free();
      super.onComplete();
    }
  }
}
