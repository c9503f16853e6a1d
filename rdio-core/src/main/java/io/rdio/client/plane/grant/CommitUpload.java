// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.grant;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.google.protobuf.ByteString;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import io.rdio.core.wire.CommitSum;
import io.rdio.core.wire.WriteCodec;
import io.rdio.core.wire.proto.CommitHead;
import io.rdio.core.wire.proto.CommitPart;
import io.rdio.core.wire.proto.CommitReply;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Sends one commit, no faster than the DataNode takes it, and waits for the answer. The call's
 * deadline ends the waiting, and before that whoever is asked where nothing is heard. One thread
 * sends; gRPC's own tell of the answer.
 */
final class CommitUpload implements ClientResponseObserver<CommitPart, CommitReply> {
  /** Bytes of CRCs in one part: those of 32 MiB, as a rule. */
  static final int PART_BYTES = WriteCodec.PART_BYTES_MAX / 4;

  private final long silenceNanos;
  private final Runnable whenSilent;

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

  /**
   * @param silenceNanos for which nothing may be heard of the call
   * @param whenSilent is run by the thread that sends, each time that it was so long: what it
   *     throws is why the call is of no use any more
   */
  CommitUpload(long silenceNanos, Runnable whenSilent) {
    this.silenceNanos = silenceNanos;
    this.whenSilent = whenSilent;
  }

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
   * @throws StatusRuntimeException what was thrown for the DataNode's silence; the call goes on
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

  private void send(CommitPart part) throws InterruptedException {
    while (!isTaken(part)) {
      awaitNews();
    }
  }

  /** False while the call takes no more; what ended takes all. */
  private synchronized boolean isTaken(CommitPart part) {
    if (ended != null) {
      return true;
    }
    ClientCallStreamObserver<CommitPart> to = begun();
    if (!to.isReady()) {
      woken = false;
      return false;
    }
    to.onNext(part);
    return true;
  }

  /** Not under the lock, which gRPC's threads need to tell of anything. */
  private void awaitNews() throws InterruptedException {
    while (!isWokenWithin(silenceNanos)) {
      try {
        whenSilent.run();
      } catch (StatusRuntimeException e) {
        if (!isWokenWithin(0)) {
          throw e;
        }
      }
    }
  }

  private synchronized boolean isWokenWithin(long nanos) throws InterruptedException {
    long end = System.nanoTime() + nanos;
    long left = nanos;
    while (!woken && left > 0) {
      TimeUnit.NANOSECONDS.timedWait(this, left);
      left = end - System.nanoTime();
    }
    return woken;
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

  /** Ends the call, whose answer nobody waits for, unless it has ended. */
  void cancel() {
    ClientCallStreamObserver<CommitPart> stream;
    synchronized (this) {
      if (ended != null) {
        return;
      }
      stream = begun();
    }
    stream.cancel("not waited for", null);
  }

  /**
   * Waits for the answer.
   *
   * @throws StatusRuntimeException if the call failed, or brought none; or what was thrown for the
   *     DataNode's silence, and then the call goes on
   */
  CommitReply await() throws InterruptedException {
    while (!isEnded()) {
      awaitNews();
    }
    return answer();
  }

  private synchronized boolean isEnded() {
    woken = ended != null;
    return woken;
  }

  private synchronized CommitReply answer() {
    CommitReply answer = reply;
    Status status = ended;
    if (answer != null && status != null && status.isOk()) {
      return answer;
    }
    if (failure instanceof StatusRuntimeException said) {
      throw said; // with its trailers
    }
    throw Status.INTERNAL.withDescription("no answer").withCause(failure).asRuntimeException();
  }
}
