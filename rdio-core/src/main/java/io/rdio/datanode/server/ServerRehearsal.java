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
 * Proves a commit that nobody asked for, of a session that there is not. Until a JVM has compiled
 * HMAC and SHA-256 they take tens of milliseconds for the CRCs of one block of 128 MiB, where they
 * take less than one later.
 */
final class ServerRehearsal {
  private static final int PART_BYTES = WriteCodec.PART_BYTES_MAX / 4;

  /** Of four blocks of 128 MiB: by then the JVM uses what the processor has for it. */
  private static final int PARTS = 16;

  private ServerRehearsal() {}

  /** Takes some 100 ms of one processor in a JVM that has just begun. */
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
