// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.server;

import com.google.protobuf.ByteString;
import io.rdio.core.wire.CommitSum;
import io.rdio.core.wire.SessionProof;
import io.rdio.core.wire.Transcript;
import io.rdio.core.wire.WriteCodec;
import io.rdio.core.wire.WriteProof;
import io.rdio.core.wire.proto.CommitHead;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Proves a commit that nobody asked for, of a session that there is not. A JVM that has just begun
 * takes many times as long for the HMAC of a block's CRCs, until it has compiled what that needs.
 */
final class ServerRehearsal {
  private static final int PART_BYTES = WriteCodec.PART_BYTES_MAX / 4;

  /** As of four blocks of 128 MiB: enough for a JVM to use what the processor has for it. */
  private static final int PARTS = 16;

  private static final AtomicBoolean DUE = new AtomicBoolean(true);

  private ServerRehearsal() {}

  /**
   * {@link #prove}, unless it was done in this JVM or is being done: what it is for is the JVM's,
   * whatever servers come and go there.
   *
   * @return whether it was done by this call
   */
  static boolean proveOnce() {
    return DUE.compareAndSet(true, false) && !prove().isEmpty();
  }

  /** A proof that is of no use; it takes part of a second in a JVM that has just begun. */
  static ByteString prove() {
    SessionProof session =
        SessionProof.ofKey(Transcript.random(Transcript.PROOF_BYTES), "", 0, ByteString.EMPTY);
    CommitSum sum = WriteProof.sum(session, CommitHead.getDefaultInstance());
    ByteString part = ByteString.copyFrom(new byte[PART_BYTES]);
    for (int i = 0; i < PARTS; i++) {
      sum.add(part);
    }
    return sum.proof();
  }
}
