// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.server;

import com.google.protobuf.ByteString;
import io.rdio.core.wire.CommitSum;
import io.rdio.core.wire.SessionProof;
import io.rdio.core.wire.Transcript;
import io.rdio.core.wire.WriteCodec;
import io.rdio.core.wire.WriteProof;
import io.rdio.core.wire.proto.CommitHead;

/**
 * Proves a commit that nobody asked for, of a session that there is not. A JVM that has just begun
 * takes many times as long for the HMAC of a block's CRCs, until it has compiled what that needs.
 */
final class ServerRehearsal {
  private static final int PART_BYTES = WriteCodec.PART_BYTES_MAX / 4;

  /** As of four blocks of 128 MiB: enough for a JVM to use what the processor has for it. */
  private static final int PARTS = 16;

  private ServerRehearsal() {}

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
