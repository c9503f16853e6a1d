// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.server;

import com.google.protobuf.ByteString;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.wire.ProtocolRange;
import io.rdio.core.wire.ProtocolVersion;
import io.rdio.core.wire.SessionProof;
import io.rdio.core.wire.SlotAsk;
import io.rdio.core.wire.WriteProof;
import io.rdio.core.wire.proto.AbortReply;
import io.rdio.core.wire.proto.AbortRequest;
import io.rdio.core.wire.proto.AllocateReply;
import io.rdio.core.wire.proto.AllocateRequest;
import io.rdio.core.wire.proto.CommitPart;
import io.rdio.core.wire.proto.CommitReply;
import io.rdio.core.wire.proto.RenewReply;
import io.rdio.core.wire.proto.RenewRequest;
import io.rdio.core.wire.proto.WritePlaneGrpc;
import io.rdio.core.write.SlotEnd;
import io.rdio.datanode.allocate.AllocateResult;
import io.rdio.datanode.allocate.WriteGrantData;
import io.rdio.datanode.allocate.WriteRoom;
import io.rdio.datanode.grant.GrantService;
import io.rdio.datanode.grant.Holder;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The write plane's calls, in terms of {@link WriteRoom}. Who asks is checked here, as on the
 * metadata plane, whose sessions these are; what a block's token allows is checked there.
 * Thread-safe.
 */
final class WritePlaneService extends WritePlaneGrpc.WritePlaneImplBase {
  private final WriteRoom room;
  private final GrantService grants;
  private final ServerSessions sessions;
  private final ServerAnswers answers;
  private final ServerWrites writes;
  private final ProtocolRange versions;
  private final AddressShares allocations;

  /**
   * @param grants of this DataNode, which knows the passwords of block tokens
   * @param allocationsMax that are under way at a time
   */
  WritePlaneService(
      WriteRoom room,
      GrantService grants,
      ServerSessions sessions,
      ServerTimer timer,
      int allocationsMax,
      ProtocolRange versions) {
    this.room = room;
    this.grants = grants;
    this.sessions = sessions;
    this.answers = new ServerAnswers("write plane", room.counters());
    this.writes = new ServerWrites(room, sessions, answers, timer, new ServerCommitShares());
    this.versions = versions;
    this.allocations =
        new AddressShares(
            Math.min(MetadataServerLimits.GRANTS_PER_ADDRESS, allocationsMax), allocationsMax);
  }

  @Override
  public void allocate(AllocateRequest request, StreamObserver<AllocateReply> observer) {
    ServerCallStreamObserver<AllocateReply> call =
        (ServerCallStreamObserver<AllocateReply>) observer;
    // With a handler set, answering a call that its client gave up is not an exception.
    call.setOnCancelHandler(() -> {});
    answers.serve(call, () -> allocate(request, call));
  }

  private void allocate(AllocateRequest request, ServerCallStreamObserver<AllocateReply> call)
      throws ServerRequestException {
    String clientId = ServerRequestCheck.clientId(request.getClientId());
    SlotAsk ask = ServerWriteCheck.ask(request);
    try {
      allocateLater(allocation(request, clientId, ask), call);
    } catch (FallbackException e) {
      answers.answer(call, () -> refused(e.reason(), e.detail()));
    }
  }

  private ServerAllocation allocation(AllocateRequest request, String clientId, SlotAsk ask)
      throws ServerRequestException, FallbackException {
    requireVersion(request.getProtocolVersion());
    String address = ClientAddress.current();
    if (!request.hasAuth()) {
      return ServerAllocation.plain(request, ask, new Holder(clientId, address));
    }
    SessionProof session =
        sessions.of(
            clientId,
            request.getAuth(),
            (of, nonce) -> WriteProof.authAllocate(of, nonce, request));
    if (session == null) {
      throw new FallbackException(FallbackReason.SESSION_UNKNOWN, "");
    }
    Holder holder = new Holder(ServerSessions.holder(clientId, session), address);
    return ServerAllocation.proven(request, ask, holder, session, grants);
  }

  private void requireVersion(int version) throws FallbackException {
    if (version < ProtocolVersion.WRITES || !versions.contains(version)) {
      throw new FallbackException(
          FallbackReason.PROTOCOL_MISMATCH,
          "the request is of version "
              + version
              + " of the protocol, this DataNode speaks "
              + versions
              + ", and writes since version "
              + ProtocolVersion.WRITES);
    }
  }

  @SuppressWarnings("FutureReturnValueIgnored") // what it does is all that is wanted of it
  private void allocateLater(
      ServerAllocation allocation, ServerCallStreamObserver<AllocateReply> call)
      throws ServerRequestException {
    String address = allocation.command().holder().address();
    if (!allocations.take(address)) {
      throw new ServerRequestException(
          Status.RESOURCE_EXHAUSTED.withDescription(allocations.text(address, "allocations")));
    }
    boolean underWay = false;
    try {
      room.allocate(allocation.command(), ServerAnswers.patienceNanos(GrantService.WAIT_MAX_NANOS))
          .whenComplete(
              (result, failure) -> {
                allocations.giveBack(address);
                if (failure == null) {
                  answers.answer(call, () -> reply(allocation, result, call));
                } else {
                  answers.failed(call, failure);
                }
              });
      underWay = true;
    } finally {
      if (!underWay) {
        allocations.giveBack(address);
      }
    }
  }

  private AllocateReply reply(
      ServerAllocation allocation,
      AllocateResult result,
      ServerCallStreamObserver<AllocateReply> call)
      throws ServerRequestException {
    if (result instanceof AllocateResult.Refused refused) {
      ServerWrites.requireIdle(refused.reason(), refused.detail());
      return ServerAllocation.refused(refused, room.ioMillis());
    }
    WriteGrantData grant = ((AllocateResult.Granted) result).grant();
    boolean made = false;
    try {
      if (call.isCancelled()) {
        throw new ServerRequestException(Status.CANCELLED);
      }
      AllocateReply reply = allocation.granted(grant);
      made = true;
      return reply;
    } finally {
      if (!made) {
        takeBack(allocation.command().holder(), grant);
      }
    }
  }

  /** Unwritten, because the answer was not sent: the client never knew of this lease. */
  private void takeBack(Holder holder, WriteGrantData grant) {
    room.abort(
        holder.clientId(),
        grant.incarnation(),
        new long[] {grant.leaseId()},
        List.of(SlotEnd.UNWRITTEN));
  }

  private AllocateReply refused(FallbackReason reason, String detail) {
    room.counters().refused(reason);
    return ServerAllocation.refused(reason, detail);
  }

  @Override
  public void renew(RenewRequest request, StreamObserver<RenewReply> observer) {
    answers.answer(
        observer,
        () -> {
          String clientId = ServerRequestCheck.clientId(request.getClientId());
          long[] ids = ServerWriteCheck.leaseIds(request.getLeaseIdsList());
          RenewReply.Builder reply = RenewReply.newBuilder().setIncarnation(room.incarnation());
          if (!request.hasAuth()) {
            return reply.addAllLeaseMillis(renew(clientId, request, ids)).build();
          }
          SessionProof session = renewing(clientId, request);
          if (session == null) {
            return reply.addAllLeaseMillis(Collections.nCopies(ids.length, 0L)).build();
          }
          List<Long> terms = renew(ServerSessions.holder(clientId, session), request, ids);
          ByteString nonce = request.getAuth().getNonce();
          return reply
              .addAllLeaseMillis(terms)
              .setProof(WriteProof.ofRenewals(session, nonce, terms))
              .build();
        });
  }

  private @Nullable SessionProof renewing(String clientId, RenewRequest request)
      throws ServerRequestException {
    return sessions.of(
        clientId,
        request.getAuth(),
        (of, nonce) ->
            WriteProof.authRenew(of, nonce, request.getIncarnation(), request.getLeaseIdsList()));
  }

  private List<Long> renew(String holder, RenewRequest request, long[] ids) {
    return Arrays.stream(room.renew(holder, request.getIncarnation(), ids)).boxed().toList();
  }

  @Override
  public StreamObserver<CommitPart> commit(StreamObserver<CommitReply> observer) {
    return ServerCommit.of((ServerCallStreamObserver<CommitReply>) observer, writes);
  }

  @Override
  public void abort(AbortRequest request, StreamObserver<AbortReply> observer) {
    answers.answer(
        observer,
        () -> {
          String clientId = ServerRequestCheck.clientId(request.getClientId());
          long[] ids = ServerWriteCheck.leaseIds(request.getLeaseIdsList());
          List<SlotEnd> ends = ServerWriteCheck.ends(request);
          String holder = request.hasAuth() ? aborting(clientId, request) : clientId;
          List<Integer> late =
              holder == null
                  ? IntStream.range(0, ids.length).boxed().toList()
                  : room.abort(holder, request.getIncarnation(), ids, ends);
          return AbortReply.newBuilder().addAllLate(late).build();
        });
  }

  private @Nullable String aborting(String clientId, AbortRequest request)
      throws ServerRequestException {
    SessionProof session =
        sessions.of(
            clientId,
            request.getAuth(),
            (of, nonce) ->
                WriteProof.authAbort(
                    of,
                    nonce,
                    request.getIncarnation(),
                    request.getLeaseIdsList(),
                    request.getEndsList()));
    return session == null ? null : ServerSessions.holder(clientId, session);
  }

  /** For tests. */
  ServerCommitShares commitShares() {
    return writes.shares();
  }
}
