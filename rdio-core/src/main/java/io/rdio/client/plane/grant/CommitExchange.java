// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.grant;

import com.google.protobuf.ByteString;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.rdio.core.FallbackException;
import io.rdio.core.wire.SessionProof;
import io.rdio.core.wire.Transcript;
import io.rdio.core.wire.WriteProof;
import io.rdio.core.wire.proto.CommitHead;
import io.rdio.core.wire.proto.CommitReply;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** One commit, and what it takes to believe the answer. Confined to one thread. */
final class CommitExchange {
  private final DataNodeChannel channel;
  private final CommitHead head;
  private final @Nullable SessionProof session;
  private ByteString requested = ByteString.EMPTY;

  /**
   * @param session null where any answer is believed
   */
  CommitExchange(DataNodeChannel channel, CommitHead head, @Nullable SessionProof session) {
    this.channel = channel;
    this.head = head;
    this.session = session;
  }

  /** Sends it and waits for the answer. */
  CommitReply send(ByteBuffer checksums, Patience patience) throws FallbackException {
    return channel.stream(
        "commit",
        patience,
        stub -> {
          CommitUpload upload = new CommitUpload();
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
    } catch (StatusRuntimeException e) {
      answered = true;
      throw e;
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
