// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.server;

import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockAsk;
import io.rdio.core.wire.ProtocolRange;
import io.rdio.core.wire.SessionProof;
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
import io.rdio.datanode.allocate.WriteRoom;
import io.rdio.datanode.grant.GrantResult;
import io.rdio.datanode.grant.GrantService;
import io.rdio.datanode.grant.Holder;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The metadata plane's calls, in terms of {@link GrantService}. Thread-safe.
 *
 * <p>Grants wait for HDFS's locks, so they have threads of their own: a renewal never stands behind
 * them, for a lease that is renewed too late is lost. For disks wait only the threads of the volume
 * concerned, and a client not beyond its deadline.
 */
final class MetadataPlaneService extends MetadataPlaneGrpc.MetadataPlaneImplBase {
  private final GrantService grants;
  private final @Nullable WriteRoom room;
  private final ServerSessions sessions;
  private final ServerAnswers answers;
  private final ServerGreeting greeting;
  private final Executor grantThreads;
  private final Executor listThread;
  private final ServerRecallStreams recallStreams;
  private final ProtocolRange versions;
  private final AddressShares grantsUnderWay =
      new AddressShares(MetadataServerLimits.GRANTS_PER_ADDRESS);
  private final AddressShares listings =
      new AddressShares(MetadataServerLimits.LISTINGS_PER_ADDRESS);

  /**
   * @param room of the write plane, of which hello and listings tell; null where there is none
   */
  MetadataPlaneService(
      GrantService grants,
      @Nullable WriteRoom room,
      ServerSessions sessions,
      Executor grantThreads,
      Executor listThread,
      ServerRecallStreams recallStreams,
      ProtocolRange versions) {
    this.grants = grants;
    this.room = room;
    this.sessions = sessions;
    this.answers = new ServerAnswers("metadata plane", grants.counters());
    this.greeting = new ServerGreeting(grants, room, versions);
    this.grantThreads = grantThreads;
    this.listThread = listThread;
    this.recallStreams = recallStreams;
    this.versions = versions;
  }

  @Override
  public void hello(HelloRequest request, StreamObserver<HelloReply> observer) {
    answers.answer(observer, () -> greeting.answer(request));
  }

  @Override
  public void openSession(OpenSessionRequest request, StreamObserver<OpenSessionReply> observer) {
    answers.answer(observer, () -> sessions.open(request));
  }

  @Override
  public void grant(GrantRequest request, StreamObserver<GrantReply> observer) {
    ServerCallStreamObserver<GrantReply> call = (ServerCallStreamObserver<GrantReply>) observer;
    // With a handler set, answering a call that its client gave up is not an exception.
    call.setOnCancelHandler(() -> {});
    answers.serve(call, () -> grant(request, call));
  }

  private void grant(GrantRequest request, ServerCallStreamObserver<GrantReply> call)
      throws ServerRequestException {
    String clientId = ServerRequestCheck.clientId(request.getClientId());
    List<BlockAsk> asks = ServerRequestCheck.blocks(request, grants.config().batchMax());
    SessionProof session = request.hasAuth() ? sessions.of(request) : null;
    if (!versions.contains(request.getProtocolVersion())) {
      answers.answer(call, () -> refuseVersion(request));
    } else if (session != null) {
      Holder holder = holder(ServerSessions.holder(clientId, session));
      grantLater(holder, () -> new ServerProvenGrants(request, session, grants), call);
    } else if (request.hasAuth()) {
      answers.answer(call, () -> refuseAll(request, FallbackReason.SESSION_UNKNOWN, ""));
    } else {
      Holder holder = holder(clientId);
      grantLater(holder, () -> ServerGrants.plain(asks), call);
    }
  }

  private static Holder holder(String name) {
    return new Holder(name, ClientAddress.current());
  }

  private void grantLater(
      Holder holder, Supplier<ServerGrants> blocks, ServerCallStreamObserver<GrantReply> call)
      throws ServerRequestException {
    if (!grantsUnderWay.take(holder.address())) {
      throw ServerAnswers.tooMany("grant requests of " + holder.address(), null);
    }
    long deadline = System.nanoTime() + ServerAnswers.patienceNanos(GrantService.WAIT_MAX_NANOS);
    boolean queued = false;
    try {
      grantThreads.execute(() -> grantNow(holder, blocks, call, deadline));
      queued = true;
    } catch (RejectedExecutionException e) {
      throw ServerAnswers.tooMany("grant requests", e);
    } finally {
      if (!queued) {
        grantsUnderWay.giveBack(holder.address());
      }
    }
  }

  @SuppressWarnings("FutureReturnValueIgnored") // what it does is all that is wanted of it
  private void grantNow(
      Holder holder,
      Supplier<ServerGrants> request,
      ServerCallStreamObserver<GrantReply> call,
      long deadline) {
    boolean underWay = false;
    try {
      ServerGrants blocks = request.get();
      CompletableFuture<List<GrantResult>> results =
          grants.grantLater(holder, blocks.asks(), call::isCancelled, deadline - System.nanoTime());
      results.whenComplete(
          (granted, failure) -> {
            grantsUnderWay.giveBack(holder.address());
            if (failure == null) {
              answers.answer(call, () -> grantReply(holder, blocks, granted, call));
            } else {
              answers.failed(call, failure);
            }
          });
      underWay = true;
    } catch (Throwable e) {
      answers.failed(call, e);
    } finally {
      if (!underWay) {
        grantsUnderWay.giveBack(holder.address());
      }
    }
  }

  private GrantReply grantReply(
      Holder holder,
      ServerGrants blocks,
      List<GrantResult> results,
      ServerCallStreamObserver<GrantReply> call)
      throws ServerRequestException {
    boolean made = false;
    try {
      if (call.isCancelled()) {
        throw new ServerRequestException(Status.CANCELLED);
      }
      GrantReply complete = reply().addAllBlocks(blocks.answers(results)).build();
      made = true;
      return complete;
    } finally {
      if (!made) {
        takeBack(holder.clientId(), results);
      }
    }
  }

  private GrantReply.Builder reply() {
    return GrantReply.newBuilder()
        .setIncarnation(grants.incarnation())
        .setLeaseMillis(grants.config().leaseMillis());
  }

  private GrantReply refuseVersion(GrantRequest request) {
    String detail =
        "the request is of version "
            + request.getProtocolVersion()
            + " of the protocol, this DataNode speaks "
            + versions;
    return refuseAll(request, FallbackReason.PROTOCOL_MISMATCH, detail);
  }

  private GrantReply refuseAll(GrantRequest request, FallbackReason reason, String detail) {
    GrantReply.Builder reply = reply();
    for (int i = 0; i < request.getBlocksCount(); i++) {
      grants.counters().refused(reason);
      reply.addBlocks(ServerMessages.refusal(reason, detail));
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
    answers.answer(
        observer,
        () -> {
          String clientId = ServerRequestCheck.clientId(request.getClientId());
          long[] ids = leaseIds(request.getLeaseIdsList());
          return sessions.renew(request, clientId, ids);
        });
  }

  @Override
  public void return_(ReturnRequest request, StreamObserver<ReturnReply> observer) {
    answers.answer(
        observer,
        () -> {
          String clientId = ServerRequestCheck.clientId(request.getClientId());
          long[] ids = leaseIds(request.getLeaseIdsList());
          String holder =
              sessions.holder(
                  SessionProof.Call.RETURN,
                  clientId,
                  request.hasAuth() ? request.getAuth() : null,
                  request.getLeaseIdsList());
          if (holder != null) {
            grants.giveBack(holder, request.getIncarnation(), ids);
          }
          return ReturnReply.getDefaultInstance();
        });
  }

  private long[] leaseIds(List<Long> ids) throws ServerRequestException {
    return ServerRequestCheck.leaseIds(ids, grants.config().leasesPerAddress());
  }

  @Override
  public void recalls(RecallsRequest request, StreamObserver<Recall> observer) {
    ServerCallStreamObserver<Recall> call = (ServerCallStreamObserver<Recall>) observer;
    answers.serve(
        call,
        () -> {
          String holder =
              sessions.holder(
                  SessionProof.Call.RECALLS,
                  ServerRequestCheck.clientId(request.getClientId()),
                  request.hasAuth() ? request.getAuth() : null,
                  List.of());
          if (holder == null) {
            throw new ServerRequestException(
                Status.UNAUTHENTICATED.withDescription("the session is not known here"));
          }
          recallStreams.open(holder, call);
        });
  }

  @Override
  public void listLeases(ListLeasesRequest request, StreamObserver<ListLeasesReply> observer) {
    ServerCallStreamObserver<ListLeasesReply> call =
        (ServerCallStreamObserver<ListLeasesReply>) observer;
    answers.serve(call, () -> listLeasesLater(request, call));
  }

  private void listLeasesLater(
      ListLeasesRequest request, ServerCallStreamObserver<ListLeasesReply> call)
      throws ServerRequestException {
    String address = ClientAddress.current();
    AtomicBoolean open = new AtomicBoolean(true);
    Runnable ended =
        () -> {
          if (open.compareAndSet(true, false)) {
            listings.giveBack(address);
          }
        };
    if (!listings.take(address)) {
      throw ServerAnswers.tooMany("lists of leases for " + address, null);
    }
    call.setOnCancelHandler(ended);
    call.setOnCloseHandler(ended);
    try {
      listThread.execute(
          () -> answers.answer(call, () -> ServerLeasePage.of(request, grants, room)));
    } catch (RejectedExecutionException e) {
      throw ServerAnswers.tooMany("lists of leases", e);
    }
  }
}
