// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.rdio.core.wire.Transcript;
import org.junit.jupiter.api.Test;

/** What is proved to nobody. */
final class ServerRehearsalTest {
  @Test
  void isAWholeProofThatNobodyCanUse() {
    ByteString proof = ServerRehearsal.prove();
    assertThat(proof.size()).isEqualTo(Transcript.PROOF_BYTES);
    assertThat(ServerRehearsal.prove()).as("by a key of its own").isNotEqualTo(proof);
  }
}
