// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.metadata;

import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientResponseObserver;
import io.grpc.stub.StreamObserver;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.lease.BackOff;
import io.rdio.core.lease.LeaseClock;
import io.rdio.core.metadata.proto.GrantReply;
import io.rdio.core.metadata.proto.GrantRequest;
import io.rdio.core.metadata.proto.HelloReply;
import io.rdio.core.metadata.proto.HelloRequest;
import io.rdio.core.metadata.proto.ListLeasesReply;
import io.rdio.core.metadata.proto.ListLeasesRequest;
import io.rdio.core.metadata.proto.MetadataPlaneGrpc;
import io.rdio.core.metadata.proto.OpenSessionReply;
import io.rdio.core.metadata.proto.OpenSessionRequest;
import io.rdio.core.metadata.proto.Recall;
import io.rdio.core.metadata.proto.RecallsRequest;
import io.rdio.core.metadata.proto.RenewReply;
import io.rdio.core.metadata.proto.RenewRequest;
import io.rdio.core.metadata.proto.ReturnReply;
import io.rdio.core.metadata.proto.ReturnRequest;
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

  private final String endpoint;
  private final MetadataClientSettings settings;
  private final ManagedChannel channel;
  private final LeaseClock clock;
  private final DoubleSupplier random;
  private final BackOff backOff;
  private final Object helloLock = new Object();

  /** That both ends speak; {@link #NOT_GREETED} until it is known. */
  private volatile int version = NOT_GREETED;

  private volatile @Nullable FallbackException lastFailure;
  private volatile Runnable onUnreachable = () -> {};

  /**
   * @param random numbers from 0 to 1, for any thread
   */
  DataNodeChannel(
      String endpoint,
      MetadataClientSettings settings,
      ManagedChannel channel,
      LeaseClock clock,
      DoubleSupplier random) {
    this.endpoint = endpoint;
    this.settings = settings;
    this.channel = channel;
    this.clock = clock;
    this.random = random;
    this.backOff = newBackOff();
  }

  /** What to do when the connection is given up as dead: streams on it would stay silent. */
  void onUnreachable(Runnable action) {
    onUnreachable = action;
  }

  String endpoint() {
    return endpoint;
  }

  /** A back-off as that of this DataNode, for something else that may fail there. */
  BackOff newBackOff() {
    return new BackOff(settings.backOff(), settings.backOff(), clock, random);
  }

  /** Asks for file maps, once {@link #prepare} has passed. */
  GrantReply grant(GrantRequest request) throws FallbackException {
    return call("grant", stub -> stub.grant(request));
  }

  /** Proves a block token, once {@link #prepare} has passed. */
  OpenSessionReply openSession(OpenSessionRequest request) throws FallbackException {
    return call("open session", stub -> stub.openSession(request));
  }

  /** Who the DataNode is; asked anew each time, also in back-off. */
  HelloReply hello() throws FallbackException {
    HelloRequest request =
        HelloRequest.newBuilder()
            .setProtocolVersion(settings.versions().max())
            .setProtocolVersionMin(settings.versions().min())
            .setClientId(settings.clientId())
            .build();
    HelloReply reply = call("hello", stub -> stub.hello(request));
    if (!settings.versions().contains(reply.getProtocolVersion())) {
      throw failed(
          new FallbackException(
              FallbackReason.PROTOCOL_MISMATCH,
              endpoint
                  + " speaks "
                  + ProtocolRange.of(reply)
                  + " of the protocol, this client "
                  + settings.versions()));
    }
    return reply;
  }

  /** One page of the leases, after the one whose {@code next} is given; 0 for the first. */
  ListLeasesReply listLeases(long after) throws FallbackException {
    ListLeasesRequest request = ListLeasesRequest.newBuilder().setAfter(after).build();
    ListLeasesReply page = call("list leases", stub -> stub.listLeases(request));
    if (page.getNext() != 0 && page.getNext() <= after) {
      throw failed(
          PlaneErrors.garbage(endpoint, "page " + page.getNext() + " of leases after " + after));
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
  int prepare() throws FallbackException {
    checkBackOff();
    int known = version;
    if (known != NOT_GREETED) {
      return known;
    }
    synchronized (helloLock) {
      checkBackOff();
      known = version;
      if (known == NOT_GREETED) {
        known = hello().getProtocolVersion();
        version = known;
      }
      return known;
    }
  }

  private void checkBackOff() throws FallbackException {
    long left = backOff.leftNanos();
    if (left > 0) {
      FallbackException cause = lastFailure;
      throw new FallbackException(
          FallbackReason.METADATA_PLANE_BACKOFF,
          endpoint + " is asked again in " + left / 1_000_000 + " ms; it failed with " + cause,
          cause);
    }
  }

  /** The DataNode may be another one than before, and speak another version. */
  void forgetVersion() {
    version = NOT_GREETED;
  }

  private <T> T call(
      String name, Function<MetadataPlaneGrpc.MetadataPlaneBlockingStub, T> operation)
      throws FallbackException {
    try {
      T reply =
          operation.apply(
              MetadataPlaneGrpc.newBlockingStub(channel)
                  .withDeadlineAfter(settings.rpcTimeout().toMillis(), TimeUnit.MILLISECONDS));
      answered();
      return reply;
    } catch (StatusRuntimeException e) {
      throw failed(PlaneErrors.of(endpoint, name, e));
    }
  }

  /** Renews leases in the background; the observer is told of the outcome. */
  void renew(RenewRequest request, StreamObserver<RenewReply> observer) {
    background().renew(request, observer);
  }

  /** Gives leases back, best effort: what does not arrive runs out by itself. */
  void giveBack(ReturnRequest request, StreamObserver<ReturnReply> observer) {
    background().return_(request, observer);
  }

  /** Opens the stream of recalls, which has no deadline. */
  void recalls(RecallsRequest request, ClientResponseObserver<RecallsRequest, Recall> stream) {
    MetadataPlaneGrpc.newStub(channel).recalls(request, stream);
  }

  private MetadataPlaneGrpc.MetadataPlaneStub background() {
    return MetadataPlaneGrpc.newStub(channel)
        .withDeadlineAfter(settings.rpcTimeout().toMillis(), TimeUnit.MILLISECONDS);
  }

  /** Notes that the DataNode answered. */
  void answered() {
    if (backOff.succeeded()) {
      LOG.info("RDIO: {} answers again", endpoint);
    }
  }

  /**
   * Notes a failure and hands it back. What was this client's own doing is none, and neither is a
   * DataNode that is busy: it is in order.
   */
  FallbackException failed(FallbackException failure) {
    if (failure.reason() == FallbackReason.INTERRUPTED
        || failure.reason() == FallbackReason.DATANODE_BUSY) {
      return failure;
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
    if (failure.reason() == FallbackReason.METADATA_PLANE_UNREACHABLE
        || failure.reason() == FallbackReason.TLS_FAILED
        || failure.reason() == FallbackReason.TLS_REQUIRED) {
      // A connection whose other end lost power looks alive for a quarter of an hour.
      channel.enterIdle();
      onUnreachable.run();
    }
    return failure;
  }

  void shutdown() {
    channel.shutdown();
  }

  void shutdownNow() {
    channel.shutdownNow();
  }

  boolean awaitTermination(long nanos) throws InterruptedException {
    return channel.awaitTermination(nanos, TimeUnit.NANOSECONDS);
  }
}
