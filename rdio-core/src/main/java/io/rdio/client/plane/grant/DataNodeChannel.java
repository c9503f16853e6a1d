// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.grant;

import io.grpc.Channel;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientResponseObserver;
import io.grpc.stub.StreamObserver;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackPolicy;
import io.rdio.core.FallbackReason;
import io.rdio.core.time.BackOff;
import io.rdio.core.time.MonotonicClock;
import io.rdio.core.wire.ProtocolRange;
import io.rdio.core.wire.proto.GrantReply;
import io.rdio.core.wire.proto.GrantRequest;
import io.rdio.core.wire.proto.HelloReply;
import io.rdio.core.wire.proto.HelloRequest;
import io.rdio.core.wire.proto.ListLeasesReply;
import io.rdio.core.wire.proto.ListLeasesRequest;
import io.rdio.core.wire.proto.MetadataPlaneGrpc;
import io.rdio.core.wire.proto.OpenSessionReply;
import io.rdio.core.wire.proto.OpenSessionRequest;
import io.rdio.core.wire.proto.Recall;
import io.rdio.core.wire.proto.RecallsRequest;
import io.rdio.core.wire.proto.RenewReply;
import io.rdio.core.wire.proto.RenewRequest;
import io.rdio.core.wire.proto.ReturnReply;
import io.rdio.core.wire.proto.ReturnRequest;
import io.rdio.core.wire.proto.WritePlaneGrpc;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls to one DataNode's plugin. A failed call puts the DataNode into back-off, where calls that a
 * reader would wait for are refused at no cost. Thread-safe.
 */
final class DataNodeChannel {
  private static final Logger LOG = LoggerFactory.getLogger(DataNodeChannel.class);

  private static final int NOT_GREETED = 0;

  /** How long an answer is as good as one of now. */
  static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final PlaneConnection connection;
  private final MetadataClientSettings settings;
  private final MonotonicClock clock;
  private final DoubleSupplier random;
  private final BackOff backOff;
  private final PatientLock greeting;

  /** That both ends speak; {@link #NOT_GREETED} until it is known. */
  private volatile int version = NOT_GREETED;

  /** When it answered last. */
  private volatile long answeredNanos;

  private volatile @Nullable FallbackException lastFailure;
  private volatile Runnable onUnreachable = () -> {};

  DataNodeChannel(PlaneConnection connection, GrantContext context) {
    this.connection = connection;
    this.settings = context.settings();
    this.clock = context.clock();
    this.random = context.random();
    this.backOff = newBackOff();
    this.greeting = new PatientLock(endpoint());
    this.answeredNanos = clock.nanos() - FRESH_NANOS; // it never has
  }

  /** What to do when the connection is given up as dead: streams on it would stay silent. */
  void onUnreachable(Runnable action) {
    onUnreachable = action;
  }

  String endpoint() {
    return connection.endpoint();
  }

  /** A back-off as that of this DataNode, for something else that may fail there. */
  BackOff newBackOff() {
    return new BackOff(settings.backOff(), settings.backOff(), clock, random);
  }

  /** That of one caller, from now on. */
  Patience patience() {
    return Patience.of(settings.rpcTimeout(), clock);
  }

  /** Asks for file maps, once {@link #prepare} has passed. */
  GrantReply grant(GrantRequest request, Patience patience) throws FallbackException {
    return call("grant", patience, stub -> stub.grant(request));
  }

  /** Proves a block token, once {@link #prepare} has passed. */
  OpenSessionReply openSession(OpenSessionRequest request, Patience patience)
      throws FallbackException {
    return call("open session", patience, stub -> stub.openSession(request));
  }

  /** Who the DataNode is; asked anew each time, also in back-off. */
  HelloReply hello() throws FallbackException {
    return hello(patience());
  }

  private HelloReply hello(Patience patience) throws FallbackException {
    HelloRequest request = helloRequest();
    HelloReply reply = call("hello", patience, stub -> stub.hello(request));
    if (!settings.versions().contains(reply.getProtocolVersion())) {
      throw failed(
          new FallbackException(
              FallbackReason.PROTOCOL_MISMATCH,
              endpoint()
                  + " speaks "
                  + ProtocolRange.of(reply)
                  + " of the protocol, this client "
                  + settings.versions()));
    }
    return reply;
  }

  private HelloRequest helloRequest() {
    return HelloRequest.newBuilder()
        .setProtocolVersion(settings.versions().max())
        .setProtocolVersionMin(settings.versions().min())
        .setClientId(settings.clientId())
        .build();
  }

  /**
   * Asks whether the DataNode is there, while a call on a channel waits for its answer, and on that
   * very channel: where it reaches the DataNode no more, another one may do. An answer to any other
   * call meanwhile is as good: behind many of them this one may wait to be sent.
   *
   * @throws StatusRuntimeException UNAVAILABLE where there is no answer: nor will the call have one
   */
  void requireThere(Channel waiting) {
    Patience patience = patience();
    long asked = clock.nanos();
    try {
      MetadataPlaneGrpc.newBlockingStub(waiting)
          .withDeadline(patience.deadline())
          .hello(helloRequest());
    } catch (StatusRuntimeException e) {
      Status.Code code = e.getStatus().getCode();
      boolean isSilent = code == Status.Code.DEADLINE_EXCEEDED || code == Status.Code.UNAVAILABLE;
      boolean answeredElse = waiting == connection.current() && answeredNanos - asked > 0;
      if (isSilent && !answeredElse && !patience.clientStoodStill()) {
        throw Status.UNAVAILABLE
            .withDescription("it has fallen silent")
            .withCause(e)
            .asRuntimeException();
      }
    }
  }

  /** One page of the leases, after the one whose {@code next} is given; 0 for the first. */
  ListLeasesReply listLeases(long after) throws FallbackException {
    ListLeasesRequest request = ListLeasesRequest.newBuilder().setAfter(after).build();
    ListLeasesReply page = call("list leases", patience(), stub -> stub.listLeases(request));
    if (page.getNext() != 0 && page.getNext() <= after) {
      throw failed(
          PlaneErrors.garbage(endpoint(), "page " + page.getNext() + " of leases after " + after));
    }
    return page;
  }

  /**
   * Refuses in back-off, and says hello where no call has succeeded since the start or the last
   * failure. The first readers of a DataNode come together: one of them finds out for all whether
   * it answers, so that a dead one costs one timeout and not one for each reader.
   *
   * @return the version of the protocol to speak
   */
  int prepare(Patience patience) throws FallbackException {
    checkBackOff();
    int known = version;
    if (known != NOT_GREETED) {
      return known;
    }
    greeting.lock(patience);
    try {
      checkBackOff();
      known = version;
      if (known == NOT_GREETED) {
        known = hello(patience).getProtocolVersion();
        version = known;
      }
      return known;
    } finally {
      greeting.unlock();
    }
  }

  /**
   * Refuses in back-off, and says hello where the last answer is no longer fresh. Who comes
   * meanwhile waits, and does not ask again.
   */
  void requireAnswering(Patience patience) throws FallbackException {
    checkBackOff();
    if (isFresh()) {
      return;
    }
    greeting.lock(patience);
    try {
      checkBackOff();
      if (!isFresh()) {
        version = hello(patience).getProtocolVersion();
      }
    } finally {
      greeting.unlock();
    }
  }

  private boolean isFresh() {
    return clock.nanos() - answeredNanos < FRESH_NANOS;
  }

  private void checkBackOff() throws FallbackException {
    long left = backOff.leftNanos();
    if (left > 0) {
      FallbackException cause = lastFailure;
      throw new FallbackException(
          FallbackReason.METADATA_PLANE_BACKOFF,
          endpoint() + " is asked again in " + left / 1_000_000 + " ms; it failed with " + cause,
          cause);
    }
  }

  /** The DataNode may be another one than before, and speak another version. */
  void forgetVersion() {
    version = NOT_GREETED;
  }

  private <T> T call(
      String name,
      Patience patience,
      Function<MetadataPlaneGrpc.MetadataPlaneBlockingStub, T> operation)
      throws FallbackException {
    return attempt(
        patience,
        channel ->
            operation.apply(
                MetadataPlaneGrpc.newBlockingStub(channel).withDeadline(patience.deadline())),
        error -> PlaneErrors.of(endpoint(), name, error));
  }

  /** A call of the write plane that brings one answer. */
  <T> T write(
      String name, Patience patience, Function<WritePlaneGrpc.WritePlaneBlockingStub, T> operation)
      throws FallbackException {
    return attempt(
        patience,
        channel ->
            operation.apply(
                WritePlaneGrpc.newBlockingStub(channel).withDeadline(patience.deadline())),
        error -> PlaneErrors.ofWrite(endpoint(), name, error));
  }

  /** A call of the write plane that sends in parts. */
  <T> T stream(String name, Patience patience, Function<WritePlaneGrpc.WritePlaneStub, T> operation)
      throws FallbackException {
    return attempt(
        patience,
        channel ->
            operation.apply(WritePlaneGrpc.newStub(channel).withDeadline(patience.deadline())),
        error -> PlaneErrors.ofWrite(endpoint(), name, error));
  }

  private <T> T attempt(
      Patience patience,
      Function<ManagedChannel, T> operation,
      Function<StatusRuntimeException, FallbackException> meaning)
      throws FallbackException {
    long left = patience.leftNanos();
    ManagedChannel used = connection.current();
    try {
      T reply = operation.apply(used);
      answered();
      return reply;
    } catch (StatusRuntimeException e) {
      FallbackException failure = meaning.apply(e);
      throw patience.excuses(failure, left) ? failure : failed(failure, used);
    }
  }

  /** Renews leases in the background; the observer is told of the outcome. */
  void renew(RenewRequest request, Patience patience, StreamObserver<RenewReply> observer) {
    MetadataPlaneGrpc.newStub(connection.current())
        .withDeadline(patience.deadline())
        .renew(request, observer);
  }

  /** Gives leases back, best effort: what does not arrive runs out by itself. */
  void giveBack(ReturnRequest request, StreamObserver<ReturnReply> observer) {
    MetadataPlaneGrpc.newStub(connection.current())
        .withDeadline(patience().deadline())
        .return_(request, observer);
  }

  /** Opens the stream of recalls, which has no deadline. */
  void recalls(RecallsRequest request, ClientResponseObserver<RecallsRequest, Recall> stream) {
    MetadataPlaneGrpc.newStub(connection.current()).recalls(request, stream);
  }

  /** Notes that the DataNode answered. */
  void answered() {
    answeredNanos = clock.nanos();
    if (backOff.succeeded()) {
      LOG.info("RDIO: {} answers again", endpoint());
    }
  }

  /**
   * Notes a failure of the DataNode's metadata plane and hands it back. What was this client's own
   * doing is none, and neither is a DataNode that is busy or refuses a block: it is in order.
   */
  FallbackException failed(FallbackException failure) {
    return failed(failure, connection.current());
  }

  private FallbackException failed(FallbackException failure, ManagedChannel used) {
    FallbackPolicy policy = failure.reason().policy();
    if (policy.scope() != FallbackPolicy.Scope.PLANE
        || policy.memory() != FallbackPolicy.Memory.BACK_OFF) {
      return failure;
    }
    if (PlaneErrors.isOfConnection(failure.reason()) && !connection.replace(used)) {
      return failure; // a call that failed before it did has said so
    }
    forgetVersion();
    lastFailure = failure;
    if (backOff.failed(0)) {
      LOG.warn(
          "RDIO: {}; it is left alone for up to {} s. Fix: {}",
          failure.getMessage(),
          settings.backOff().toSeconds(),
          failure.reason().fix());
    } else {
      LOG.debug("RDIO: {}", failure.getMessage());
    }
    if (PlaneErrors.isOfConnection(failure.reason())) {
      onUnreachable.run();
    }
    return failure;
  }

  void shutdown() {
    connection.shutdown();
  }

  void shutdownNow() {
    connection.shutdownNow();
  }

  boolean awaitTermination(long nanos) throws InterruptedException {
    return connection.awaitTermination(nanos);
  }
}
