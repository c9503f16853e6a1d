// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.grant;

import com.google.protobuf.ByteString;
import io.grpc.Status;
import io.rdio.core.FallbackException;
import io.rdio.core.wire.SessionProof;
import io.rdio.core.wire.Transcript;
import io.rdio.core.wire.WriteProof;
import io.rdio.core.wire.proto.CommitHead;
import io.rdio.core.wire.proto.CommitReply;
import java.nio.ByteBuffer;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** One commit, and what it takes to believe the answer. Confined to one thread. */
final class CommitExchange {
  private final DataNodeChannel channel;
  private final CommitHead head;
  private final @Nullable SessionProof session;
  private final Duration silence;
  private ByteString requested = ByteString.EMPTY;

  /**
   * @param session null where any answer is believed
   * @param silence of the DataNode, behind which it is asked whether it is there
   */
  CommitExchange(
      DataNodeChannel channel, CommitHead head, @Nullable SessionProof session, Duration silence) {
    this.channel = channel;
    this.head = head;
    this.session = session;
    this.silence = silence;
  }

  /**
   * Sends it and waits for the answer.
   *
   * @throws FallbackException why there is none: METADATA_PLANE_UNREACHABLE also where the DataNode
   *     is silent long before the patience is over
   */
  CommitReply send(ByteBuffer checksums, Patience patience) throws FallbackException {
    return channel.stream(
        "commit",
        patience,
        stub -> {
          CommitUpload upload =
              new CommitUpload(silence.toNanos(), () -> channel.requireThere(stub.getChannel()));
          stub.commit(upload);
          return send(checksums, upload);
        });
  }

  private CommitReply send(ByteBuffer checksums, CommitUpload upload) {
    boolean answered = false;
    try {
      requested =
          upload.send(head, checksums, session == null ? null : WriteProof.sum(session, head));
      CommitReply reply = upload.await();
      answered = true;
      return reply;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw Status.CANCELLED.withCause(e).asRuntimeException();
    } finally {
      if (!answered) {
        upload.cancel();
      }
    }
  }

  /** Whether it is the DataNode's answer to this very commit; a refusal never is. */
  boolean isProved(CommitReply reply) {
    return session == null
        || Transcript.matches(
            reply.getProof(),
            WriteProof.ofCommit(session, head, requested, reply.getIncarnation()));
  }
}
