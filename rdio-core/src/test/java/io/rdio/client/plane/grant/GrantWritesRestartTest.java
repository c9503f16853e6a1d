// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.grant;

import static io.rdio.client.plane.grant.GrantWritesFixture.BLOCK;
import static io.rdio.client.plane.grant.GrantWritesFixture.TARGET;
import static io.rdio.client.plane.grant.GrantWritesFixture.crcs;
import static io.rdio.client.plane.grant.GrantWritesFixture.refusal;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.client.plane.WritePlane.Ended;
import io.rdio.client.plane.WriteSlot;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.wire.ProtocolRange;
import io.rdio.core.write.SlotEnd;
import io.rdio.datanode.grant.FakeHdfs;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** Slots of a session that is over: of a DataNode that started again, or of another client. */
final class GrantWritesRestartTest extends GrantWritesTestBase {
  /** W8: it does not know that each write was answered. */
  private void isToldLate(WriteSlot slot) throws FallbackException {
    Ended quiet = new Ended(slot, SlotEnd.QUIET);
    assertThat(fixture.writes.abort(TARGET, List.of(quiet))).containsExactly(quiet);
  }

  @Test
  void restartedDataNodeRenewsNothingAndLendsAnew() throws Exception {
    WriteSlot slot = fixture.allocate(BLOCK);
    fixture.restart();

    assertThat(fixture.writes.renew(TARGET, List.of(slot))).containsExactly(OptionalLong.empty());
    isToldLate(slot);
    assertThat(fixture.room.aborts).isEmpty();
    WriteSlot next = fixture.allocate(FakeHdfs.block(2));

    assertThat(next.grant().incarnation()).isEqualTo(12);
    assertThat(fixture.writes.renew(TARGET, List.of(slot, next)).get(1)).isPresent();
  }

  @Test
  void restartedDataNodeSaysOfACommitWhatItDid() throws Exception {
    WriteSlot done = fixture.allocate(BLOCK);
    WriteSlot lost = fixture.allocate(FakeHdfs.block(2));
    fixture.writes.commit(TARGET, done, 1000, crcs(1000));
    fixture.restart();

    fixture.writes.commit(TARGET, done, 1000, crcs(1000));
    assertThat(refusal(() -> fixture.writes.commit(TARGET, lost, 1000, crcs(1000))).reason())
        .isEqualTo(FallbackReason.REPLICA_CHANGED);
  }

  @Test
  void slotOfAnotherSessionIsNotRenewed() throws Exception {
    WriteSlot slot = fixture.allocate(BLOCK);
    fixture.connect(ProtocolRange.SUPPORTED, false);
    WriteSlot own = fixture.allocate(FakeHdfs.block(2));
    WriteSlot taken =
        new GrantedSlot(
            slot.block(), slot.grant(), slot.deadlineNanos(), GrantedSlot.of(own).session());

    assertThat(fixture.writes.renew(TARGET, List.of(taken))).containsExactly(OptionalLong.empty());
    isToldLate(taken);
    assertThat(fixture.room.aborts).isEmpty();
  }
}
