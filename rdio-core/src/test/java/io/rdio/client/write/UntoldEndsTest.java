// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.client.plane.WritePlane.Ended;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.write.SlotEnd;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What DataNodes are told of slots that are not wanted, and what is lost of it. */
final class UntoldEndsTest {
  private final WritersFixture fixture = new WritersFixture();
  private final FakeDataNode node = fixture.dataNode("a");
  private final List<Ended> lost = new ArrayList<>();
  private final UntoldEnds untold = new UntoldEnds(fixture.plane, lost::add);

  @AfterEach
  void close() {
    fixture.close();
  }

  /** One that is to be told of, which no lease was noted on. */
  private Ended ended(FakeDataNode by, long id) throws FallbackException {
    Ended ended =
        new Ended(
            fixture.plane.allocate(by.id, new byte[] {1}, WritersFixture.ask(id)),
            SlotEnd.UNWRITTEN);
    untold.add(by.id, ended);
    return ended;
  }

  /** A slot more may be on another device, of which its host has lost nothing. */
  @Test
  void whatADataNodeHearsOfTooLateIsLostAndNothingElse() throws Exception {
    ended(node, 1);
    Ended late = ended(node, 2);
    ended(node, 3);
    node.hearsLate = late::equals;

    assertThat(untold.tellNext()).isTrue();

    assertThat(node.aborted).hasSize(3);
    assertThat(lost).containsExactly(late);
    assertThat(untold.tellNext()).isFalse();
  }

  @Test
  void allIsLostThatADataNodeDoesNotHearOf() throws Exception {
    FakeDataNode other = fixture.dataNode("b");
    Ended first = ended(node, 1);
    Ended second = ended(node, 2);
    ended(other, 3);
    node.silence = new FallbackException(FallbackReason.METADATA_PLANE_UNREACHABLE, "gone");

    assertThat(untold.tellNext()).isTrue();
    assertThat(untold.tellNext()).isTrue();

    assertThat(lost).containsExactly(first, second);
    assertThat(other.aborted).hasSize(1);
    assertThat(untold.tellNext()).as("each is told once").isFalse();
  }
}
