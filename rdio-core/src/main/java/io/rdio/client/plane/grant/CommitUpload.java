// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.grant;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.google.protobuf.ByteString;
import io.grpc.Status;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import io.rdio.core.wire.CommitSum;
import io.rdio.core.wire.WriteCodec;
import io.rdio.core.wire.proto.CommitHead;
import io.rdio.core.wire.proto.CommitPart;
import io.rdio.core.wire.proto.CommitReply;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Sends one commit, no faster than the DataNode takes it, and waits for the answer. The call's
 * deadline ends the waiting. One thread sends; gRPC's own tell of the answer.
 */
final class CommitUpload implements ClientResponseObserver<CommitPart, CommitReply> {
  /** Bytes of CRCs in one part: those of 32 MiB, as a rule. */
  static final int PART_BYTES = WriteCodec.PART_BYTES_MAX / 4;

  @GuardedBy("this")
  private @Nullable ClientCallStreamObserver<CommitPart> parts;

  @GuardedBy("this")
  private @Nullable CommitReply reply;

  @GuardedBy("this")
  private @Nullable Status ended;

  @GuardedBy("this")
  private @Nullable Throwable failure;

  /** The call is ready for more, or has ended, since this was set to false. */
  @GuardedBy("this")
  private boolean woken;

  @Override
  public synchronized void beforeStart(ClientCallStreamObserver<CommitPart> stream) {
    parts = stream;
    stream.setOnReadyHandler(this::wake);
  }

  private synchronized void wake() {
    woken = true;
    notifyAll();
  }

  @Override
  public synchronized void onNext(CommitReply answer) {
    reply = answer;
  }

  @Override
  public synchronized void onError(Throwable error) {
    failure = error;
    end(Status.fromThrowable(error));
  }

  @Override
  public synchronized void onCompleted() {
    end(Status.OK);
  }

  @GuardedBy("this")
  private void end(Status status) {
    ended = status;
    wake();
  }

  /**
   * Sends all of a commit, once the call was begun with this as its observer.
   *
   * @param sum null where there is no session
   * @return the client's proof for all of it; empty where there is no session
   */
  ByteString send(CommitHead head, ByteBuffer checksums, @Nullable CommitSum sum)
      throws InterruptedException {
    send(CommitPart.newBuilder().setHead(head).build());
    ByteBuffer rest = checksums.duplicate();
    while (rest.hasRemaining()) {
      ByteString crcs = ByteString.copyFrom(rest, Math.min(rest.remaining(), PART_BYTES));
      if (sum != null) {
        sum.add(crcs);
      }
      send(CommitPart.newBuilder().setChecksums(crcs).build());
    }
    ByteString proof = sum == null ? ByteString.EMPTY : sum.proof();
    if (sum != null) {
      send(CommitPart.newBuilder().setProof(proof).build());
    }
    halfClose();
    return proof;
  }

  private synchronized void send(CommitPart part) throws InterruptedException {
    ClientCallStreamObserver<CommitPart> to = begun();
    while (ended == null && !to.isReady()) {
      woken = false;
      while (!woken) {
        wait();
      }
    }
    if (ended == null) {
      to.onNext(part);
    }
  }

  private synchronized void halfClose() {
    if (ended == null) {
      begun().onCompleted();
    }
  }

  @GuardedBy("this")
  private ClientCallStreamObserver<CommitPart> begun() {
    ClientCallStreamObserver<CommitPart> stream = parts;
    if (stream == null) {
      throw new IllegalStateException("the call was not begun");
    }
    return stream;
  }

  /** Ends the call, whose answer nobody waits for. */
  void cancel() {
    ClientCallStreamObserver<CommitPart> stream;
    synchronized (this) {
      stream = begun();
    }
    stream.cancel("not waited for", null);
  }

  /**
   * The answer.
   *
   * @throws io.grpc.StatusRuntimeException if the call failed, or brought none
   */
  synchronized CommitReply await() throws InterruptedException {
    while (ended == null) {
      wait();
    }
    CommitReply answer = reply;
    if (answer != null && ended.isOk()) {
      return answer;
    }
    if (failure instanceof io.grpc.StatusRuntimeException said) {
      throw said; // with its trailers
    }
    throw Status.INTERNAL.withDescription("no answer").withCause(failure).asRuntimeException();
  }
}
