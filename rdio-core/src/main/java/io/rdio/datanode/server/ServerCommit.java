// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.server;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.google.protobuf.ByteString;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.wire.CommitAsk;
import io.rdio.core.wire.CommitSum;
import io.rdio.core.wire.SessionProof;
import io.rdio.core.wire.Transcript;
import io.rdio.core.wire.WriteCodec;
import io.rdio.core.wire.WriteProof;
import io.rdio.core.wire.proto.CommitPart;
import io.rdio.core.wire.proto.CommitReply;
import io.rdio.datanode.allocate.CommitHead;
import io.rdio.datanode.allocate.CommitIntake;
import io.rdio.datanode.allocate.CommitResult;
import io.rdio.datanode.allocate.WriteRoom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One commit whose parts are on their way. Nothing is committed before all of it has come and is
 * proved; what is broken off before that leaves the lease as it was. It has its shares until then,
 * or until it is answered. Thread-safe.
 */
final class ServerCommit implements StreamObserver<CommitPart> {
  /** So long its parts may take. */
  static final long PARTS_NANOS_MAX = TimeUnit.SECONDS.toNanos(30);

  private final ServerCallStreamObserver<CommitReply> call;
  private final ServerWrites writes;
  private final WriteRoom room;
  private final ServerAnswers answers;
  private final String address = ClientAddress.current();

  @GuardedBy("this")
  private Runnable timer = () -> {};

  @GuardedBy("this")
  private io.rdio.core.wire.proto.@Nullable CommitHead head;

  @GuardedBy("this")
  private @Nullable SessionProof session;

  @GuardedBy("this")
  private @Nullable CommitSum sum;

  @GuardedBy("this")
  private @Nullable ByteString proof;

  /** Null while there is none, and again when it was handed on or closed. */
  @GuardedBy("this")
  private @Nullable CommitIntake intake;

  /** Bytes of CRCs that are taken of the shares; negative while none are. */
  @GuardedBy("this")
  private long shared = -1;

  /** Nothing that comes is heeded any more. */
  @GuardedBy("this")
  private boolean over;

  private ServerCommit(ServerCallStreamObserver<CommitReply> call, ServerWrites writes) {
    this.call = call;
    this.writes = writes;
    this.room = writes.room();
    this.answers = writes.answers();
  }

  /** Takes a call's parts in. */
  static ServerCommit of(ServerCallStreamObserver<CommitReply> call, ServerWrites writes) {
    ServerCommit commit = new ServerCommit(call, writes);
    call.setOnCancelHandler(commit::brokenOff);
    call.setOnCloseHandler(commit::brokenOff);
    commit.await();
    return commit;
  }

  private synchronized void await() {
    timer = writes.timer().after(PARTS_NANOS_MAX, this::late);
  }

  @Override
  public void onNext(CommitPart part) {
    step(() -> take(part));
  }

  @Override
  public void onCompleted() {
    step(this::commit);
  }

  @Override
  public void onError(Throwable error) {
    brokenOff();
  }

  private synchronized void step(ServerAnswers.Service service) {
    if (over) {
      return;
    }
    if (!answers.serve(call, service)) {
      brokenOff();
    }
  }

  private synchronized void late() {
    step(
        () -> {
          throw new ServerRequestException(
              Status.DEADLINE_EXCEEDED.withDescription(
                  "a commit's parts did not come within "
                      + TimeUnit.NANOSECONDS.toSeconds(PARTS_NANOS_MAX)
                      + " s"));
        });
  }

  /** Lets go of all but a commit that is handed on already. */
  private synchronized void brokenOff() {
    if (over) {
      return;
    }
    over = true;
    timer.run();
    CommitIntake given = intake;
    intake = null;
    try {
      if (given != null) {
        given.close();
      }
    } finally {
      giveBack();
    }
  }

  private synchronized void giveBack() {
    if (shared >= 0) {
      writes.shares().giveBack(address, shared);
      shared = -1;
    }
  }

  private synchronized void take(CommitPart part) throws ServerRequestException {
    switch (part.getPartCase()) {
      case HEAD -> begin(part.getHead());
      case CHECKSUMS -> add(part.getChecksums());
      case PROOF -> prove(part.getProof());
      default -> throw ServerRequestException.invalid("a part of a commit without content");
    }
  }

  private static ServerRequestException disordered(String what) {
    return ServerRequestException.invalid(
        "a commit is a head, CRCs, and in a session its proof, in this order; this has " + what);
  }

  private synchronized void begin(io.rdio.core.wire.proto.CommitHead given)
      throws ServerRequestException {
    if (head != null) {
      throw disordered("two heads");
    }
    CommitAsk ask = ServerWriteCheck.head(given);
    String clientId = ServerRequestCheck.clientId(given.getClientId());
    head = given;
    if (given.hasAuth()) {
      session =
          writes
              .sessions()
              .of(
                  clientId,
                  given.getAuth(),
                  (of, nonce) -> WriteProof.authCommit(of, nonce, given));
      if (session == null) {
        refuse(FallbackReason.SESSION_UNKNOWN, "");
        return;
      }
      sum = WriteProof.sum(session, given);
    }
    long crcBytes = ServerCommitShares.crcBytes(ask.length());
    writes.shares().take(address, crcBytes);
    shared = crcBytes;
    open(session == null ? clientId : ServerSessions.holder(clientId, session), ask);
  }

  private synchronized void open(String holder, CommitAsk ask) throws ServerRequestException {
    CommitHead opened =
        new CommitHead(holder, ask.incarnation(), ask.leaseId(), ask.block(), ask.length());
    try {
      intake = room.openCommit(opened);
    } catch (FallbackException e) {
      ServerWrites.requireIdle(e.reason(), e.detail());
      refuse(e.reason(), e.detail());
    } catch (IllegalArgumentException e) {
      throw ServerRequestException.invalid(String.valueOf(e.getMessage()));
    }
  }

  private synchronized void add(ByteString checksums) throws ServerRequestException {
    CommitIntake into = intake;
    if (into == null || proof != null) {
      throw disordered("CRCs out of their turn");
    }
    ServerWriteCheck.decode(
        () -> {
          WriteCodec.requirePart(checksums);
          return checksums;
        });
    if (sum != null) {
      sum.add(checksums);
    }
    ServerWriteCheck.decode(
        () -> {
          into.add(checksums.asReadOnlyByteBuffer());
          return into;
        });
  }

  private synchronized void prove(ByteString given) throws ServerRequestException {
    if (sum == null || proof != null) {
      throw disordered("a proof out of its turn");
    }
    proof = given;
  }

  private synchronized void commit() throws ServerRequestException {
    CommitIntake complete = intake;
    if (complete == null) {
      throw disordered("no head");
    }
    ByteString requested = proof;
    if (sum != null && (requested == null || !Transcript.matches(requested, sum.proof()))) {
      throw new ServerRequestException(
          Status.UNAUTHENTICATED.withDescription("the proof of a commit is wrong or missing"));
    }
    CompletableFuture<CommitResult> result = ServerWriteCheck.decode(complete::commit);
    over = true;
    intake = null;
    timer.run();
    answerWhenDone(result);
  }

  @SuppressWarnings("FutureReturnValueIgnored") // what it does is all that is wanted of it
  private void answerWhenDone(CompletableFuture<CommitResult> result) {
    result.whenComplete(
        (done, failure) -> {
          giveBack(); // before the answer: who has it may begin the next commit at once
          if (failure == null) {
            answers.serve(call, () -> answer(done));
          } else {
            answers.failed(call, failure);
          }
        });
  }

  private synchronized void answer(CommitResult result) throws ServerRequestException {
    if (result instanceof CommitResult.Refused refused) {
      ServerWrites.requireIdle(refused.reason(), refused.detail());
      reply(refusal(refused.reason(), refused.detail()));
      return;
    }
    CommitReply.Builder committed = CommitReply.newBuilder().setIncarnation(room.incarnation());
    SessionProof by = session;
    io.rdio.core.wire.proto.CommitHead of = head;
    ByteString requested = proof;
    if (by != null && of != null && requested != null) {
      committed.setProof(WriteProof.ofCommit(by, of, requested, room.incarnation()));
    }
    reply(committed.build());
  }

  private synchronized void refuse(FallbackReason reason, String detail) {
    brokenOff();
    reply(refusal(reason, detail));
  }

  private CommitReply refusal(FallbackReason reason, String detail) {
    room.counters().refused(reason);
    return CommitReply.newBuilder()
        .setIncarnation(room.incarnation())
        .setRefusal(ServerAllocation.refusal(reason, detail))
        .build();
  }

  private void reply(CommitReply reply) {
    call.onNext(reply);
    call.onCompleted();
  }
}
