// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.metadata;

import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.rdio.core.FallbackReason;
import io.rdio.core.grant.BlockAsk;
import io.rdio.core.grant.GrantResult;
import io.rdio.core.grant.GrantService;
import io.rdio.core.metadata.proto.GrantReply;
import io.rdio.core.metadata.proto.GrantRequest;
import io.rdio.core.metadata.proto.HelloReply;
import io.rdio.core.metadata.proto.HelloRequest;
import io.rdio.core.metadata.proto.ListLeasesReply;
import io.rdio.core.metadata.proto.ListLeasesRequest;
import io.rdio.core.metadata.proto.MetadataPlaneGrpc;
import io.rdio.core.metadata.proto.Recall;
import io.rdio.core.metadata.proto.RecallsRequest;
import io.rdio.core.metadata.proto.RenewReply;
import io.rdio.core.metadata.proto.RenewRequest;
import io.rdio.core.metadata.proto.ReturnReply;
import io.rdio.core.metadata.proto.ReturnRequest;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The metadata plane's calls, in terms of {@link GrantService}. Thread-safe.
 *
 * <p>Grants wait for disks and for HDFS's locks, so they have threads of their own: a renewal never
 * stands behind them, for a lease that is renewed too late is lost.
 */
final class MetadataPlaneService extends MetadataPlaneGrpc.MetadataPlaneImplBase {
  private static final Logger LOG = LoggerFactory.getLogger(MetadataPlaneService.class);

  private final GrantService grants;
  private final Executor grantThreads;
  private final LongAdder badRequests = new LongAdder();

  MetadataPlaneService(GrantService grants, Executor grantThreads) {
    this.grants = grants;
    this.grantThreads = grantThreads;
  }

  /** Requests that were refused as a whole. */
  long badRequests() {
    return badRequests.sum();
  }

  /** Makes an answer. */
  @FunctionalInterface
  private interface Answer<T> {
    T make() throws ServerRequestException;
  }

  private <T> void answer(StreamObserver<T> observer, Answer<T> answer) {
    try {
      T reply = answer.make();
      observer.onNext(reply);
      observer.onCompleted();
    } catch (ServerRequestException e) {
      refuse(observer, e.status());
    } catch (RuntimeException e) {
      LOG.error("A request failed in a way it should not", e);
      refuse(observer, Status.INTERNAL.withDescription("see the DataNode's log"));
    }
  }

  private void refuse(StreamObserver<?> observer, Status status) {
    badRequests.increment();
    observer.onError(status.asRuntimeException());
  }

  @Override
  public void hello(HelloRequest request, StreamObserver<HelloReply> observer) {
    answer(
        observer,
        () -> {
          HelloReply.Builder reply =
              HelloReply.newBuilder()
                  .setProtocolVersion(ProtocolVersion.CURRENT)
                  .setIncarnation(grants.incarnation())
                  .setDatanodeUuid(grants.dataNodeUuid())
                  .setLeaseMillis(grants.config().leaseMillis())
                  .setMaxIoMillis(grants.config().maxIoMillis());
          long cap = grants.config().pinnedDeletedBytesPerVolume();
          grants.volumes().forEach(v -> reply.addVolumes(ServerMessages.volume(v, cap)));
          return reply.build();
        });
  }

  @Override
  public void grant(GrantRequest request, StreamObserver<GrantReply> observer) {
    ServerCallStreamObserver<GrantReply> call = (ServerCallStreamObserver<GrantReply>) observer;
    // With a handler set, answering a call that its client gave up is not an exception.
    call.setOnCancelHandler(() -> {});
    try {
      grantThreads.execute(() -> grantNow(request, call));
    } catch (RejectedExecutionException e) {
      refuse(
          observer,
          Status.RESOURCE_EXHAUSTED
              .withDescription("too many grant requests wait on this DataNode")
              .withCause(e));
    }
  }

  private void grantNow(GrantRequest request, ServerCallStreamObserver<GrantReply> call) {
    answer(
        call,
        () -> {
          String clientId = ServerRequestCheck.clientId(request.getClientId());
          List<BlockAsk> asks = ServerRequestCheck.blocks(request, grants.config().batchMax());
          GrantReply.Builder reply =
              GrantReply.newBuilder()
                  .setIncarnation(grants.incarnation())
                  .setLeaseMillis(grants.config().leaseMillis());
          if (request.getProtocolVersion() != ProtocolVersion.CURRENT) {
            return refuseAll(request, reply);
          }
          List<GrantResult> results = grants.grant(clientId, asks, call::isCancelled);
          if (call.isCancelled()) {
            takeBack(clientId, results);
            throw new ServerRequestException(Status.CANCELLED);
          }
          results.forEach(result -> reply.addBlocks(ServerMessages.blockGrant(result)));
          return reply.build();
        });
  }

  private GrantReply refuseAll(GrantRequest request, GrantReply.Builder reply) {
    String detail =
        "the client speaks version "
            + request.getProtocolVersion()
            + ", this DataNode "
            + ProtocolVersion.CURRENT;
    for (int i = 0; i < request.getBlocksCount(); i++) {
      grants.counters().refused(FallbackReason.PROTOCOL_MISMATCH);
      reply.addBlocks(ServerMessages.refusal(FallbackReason.PROTOCOL_MISMATCH, detail));
    }
    return reply.build();
  }

  /** Safe because the answer was not sent: the client never knew of these leases. */
  private void takeBack(String clientId, List<GrantResult> results) {
    long[] ids =
        results.stream()
            .filter(GrantResult.Granted.class::isInstance)
            .mapToLong(result -> ((GrantResult.Granted) result).leaseId())
            .toArray();
    grants.giveBack(clientId, grants.incarnation(), ids);
  }

  @Override
  public void renew(RenewRequest request, StreamObserver<RenewReply> observer) {
    answer(
        observer,
        () -> {
          String clientId = ServerRequestCheck.clientId(request.getClientId());
          long[] ids = leaseIds(request.getLeaseIdsList());
          RenewReply.Builder reply = RenewReply.newBuilder().setIncarnation(grants.incarnation());
          for (long millis : grants.renew(clientId, request.getIncarnation(), ids)) {
            reply.addLeaseMillis(millis);
          }
          return reply.build();
        });
  }

  @Override
  public void return_(ReturnRequest request, StreamObserver<ReturnReply> observer) {
    answer(
        observer,
        () -> {
          String clientId = ServerRequestCheck.clientId(request.getClientId());
          long[] ids = leaseIds(request.getLeaseIdsList());
          grants.giveBack(clientId, request.getIncarnation(), ids);
          return ReturnReply.getDefaultInstance();
        });
  }

  private long[] leaseIds(List<Long> ids) throws ServerRequestException {
    return ServerRequestCheck.leaseIds(ids, grants.config().leasesPerClient());
  }

  @Override
  public void recalls(RecallsRequest request, StreamObserver<Recall> observer) {
    ServerCallStreamObserver<Recall> call = (ServerCallStreamObserver<Recall>) observer;
    try {
      String clientId = ServerRequestCheck.clientId(request.getClientId());
      ServerRecallStream stream = new ServerRecallStream(call, grants.config().leasesPerClient());
      call.setOnReadyHandler(stream::send);
      call.setOnCancelHandler(() -> grants.unsubscribe(clientId, stream));
      grants.subscribe(clientId, stream);
    } catch (ServerRequestException e) {
      refuse(observer, e.status());
    }
  }

  @Override
  public void listLeases(ListLeasesRequest request, StreamObserver<ListLeasesReply> observer) {
    answer(
        observer,
        () -> {
          ListLeasesReply.Builder reply = ListLeasesReply.newBuilder();
          grants.leases().forEach(lease -> reply.addLeases(ServerMessages.lease(lease)));
          return reply.build();
        });
  }
}
