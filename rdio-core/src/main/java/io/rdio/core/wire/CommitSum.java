// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.wire;

import com.google.protobuf.ByteString;

/**
 * A client's proof for all of a commit, made while its CRCs go by. Each part counts as it was sent:
 * the same CRCs in other parts have another proof. Confined to one thread at a time.
 */
public final class CommitSum {
  private final Transcript transcript;

  CommitSum(Transcript transcript) {
    this.transcript = transcript;
  }

  /** Takes the next part of CRCs in. */
  public void add(ByteString checksums) {
    transcript.add(checksums);
  }

  /** The proof for the head and all parts; nothing can be added afterwards. */
  public ByteString proof() {
    return transcript.proof();
  }
}
