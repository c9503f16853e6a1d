// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.rdio.core.wire.Transcript;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is proved to nobody. */
final class ServerRehearsalTest {
  @Test
  void isAWholeProofThatNobodyCanUse() {
    ByteString proof = ServerRehearsal.prove();
    assertThat(proof.size()).isEqualTo(Transcript.PROOF_BYTES);
    assertThat(ServerRehearsal.prove()).as("by a key of its own").isNotEqualTo(proof);
  }

  /** Other tests of this JVM may have begun a server by now. */
  @Test
  void isDoneOnceInAJvm() {
    boolean first = ServerRehearsal.proveOnce();
    boolean second = ServerRehearsal.proveOnce();
    assertThat(List.of(first, second)).isIn(List.of(true, false), List.of(false, false));
  }
}
