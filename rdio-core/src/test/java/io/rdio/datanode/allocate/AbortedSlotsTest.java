// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.allocate;

import static io.rdio.datanode.allocate.WriteFixture.BLOCK;
import static io.rdio.datanode.allocate.WriteFixture.block;
import static io.rdio.datanode.allocate.WriteFixture.command;
import static io.rdio.datanode.allocate.WriteFixture.isOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.rdio.core.FallbackReason;
import io.rdio.core.write.SlotEnd;
import io.rdio.datanode.allocate.InjectedStep.Step;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How lent slots come back that are not committed: by an Abort, a failure or a restart. */
final class AbortedSlotsTest {
  private static final long T = 30_000;
  private static final long I = 60_000;

  @TempDir Path root;

  /** Another target of its block has refused, say: that one must not cost the others' slots. */
  @Test
  void slotThatNothingWasSentToIsFreeAtOnce() {
    WriteFixture fixture =
        new WriteFixture(root, WriteFixture.config(T).slotsPerAddress(1).build());
    fixture.idle = false; // none is made in its place
    WriteGrantData grant = fixture.allocate("a", block(1));

    fixture.abort("a", grant, SlotEnd.UNWRITTEN);

    assertThat(fixture.writer.hasRbw(block(1))).isFalse();
    assertThat(fixture.leased()).isEmpty();
    assertThat(fixture.status().quarantined()).isZero();
    assertThat(fixture.status().free()).isEqualTo(4);
    assertThat(fixture.pooled())
        .hasSize(4)
        .as("under a new nonce")
        .noneMatch(file -> isOf(file, grant))
        .anyMatch(
            file -> file.getFileName().toString().startsWith("%016x".formatted(grant.slot())));
    fixture.allocate("a", block(2));
  }

  @Test
  void slotComesBackUnderANewNonceWhenItsQuarantineIsOver() {
    WriteFixture fixture = new WriteFixture(root);
    WriteGrantData grant = fixture.allocate("a", block(1));
    fixture.abort("a", grant);
    fixture.pass(I - 1);
    fixture.writer.available = 0; // no other slot is made meanwhile, and none is kept
    fixture.room.upkeep();
    fixture.room.upkeep();
    assertThat(fixture.leased()).hasSize(1);
    assertThat(fixture.pooled()).isEmpty();

    fixture.writer.available = 2L * BLOCK; // spare enough for those that there are
    fixture.pass(1);
    fixture.room.upkeep();
    assertThat(fixture.leased()).isEmpty();
    assertThat(fixture.pooled()).hasSize(1);
    String name = fixture.pooled().get(0).getFileName().toString();
    assertThat(name).startsWith("%016x.".formatted(grant.slot()));
    assertThat(name).doesNotEndWith("%016x".formatted(grant.nonce()));
  }

  /** It never had a name that anybody could open it by. */
  @Test
  void slotComesBackWhereTheKernelDoesNotSayWhatIsOpen() {
    WriteFixture fixture = new WriteFixture(root);
    fixture.idle = false; // none is made in its place
    fixture.files.isSilent = true;
    WriteGrantData grant = fixture.allocate("a", block(1));
    fixture.abort("a", grant, SlotEnd.UNWRITTEN);
    assertThat(fixture.leased()).isEmpty();
    assertThat(isPooled(fixture, grant)).isTrue();
  }

  /** It may have been a block of the incarnation before. */
  @Test
  void butNotOneThatAStartFinds() {
    WriteFixture fixture = new WriteFixture(root);
    fixture.idle = false;
    fixture.files.isSilent = true;
    WriteGrantData grant = fixture.allocate("a", block(1));
    fixture.start(WriteFixture.CONFIG);
    fixture.pass(T + I);
    fixture.room.upkeep();
    assertThat(fixture.leased()).isEmpty();
    assertThat(isPooled(fixture, grant)).isFalse();
  }

  @Test
  void ofSeveralItIsSaidWhichHadEndedBefore() {
    WriteFixture fixture = new WriteFixture(root);
    WriteGrantData one = fixture.allocate("a", block(1));
    WriteGrantData other = fixture.allocate("a", block(2));
    WriteGrantData anothers = fixture.allocate("b", block(3));
    long[] ids = {other.leaseId(), anothers.leaseId(), one.leaseId(), other.leaseId()};
    List<SlotEnd> ends =
        List.of(SlotEnd.QUIET, SlotEnd.QUIET, SlotEnd.UNWRITTEN, SlotEnd.UNWRITTEN);

    assertThat(fixture.room.abort("a", one.incarnation(), ids, ends)).containsExactly(1, 3);
    assertThat(fixture.status().quarantined()).as("only what was written to").isEqualTo(1);
    assertThat(fixture.room.abort("a", one.incarnation(), ids, ends)).containsExactly(0, 1, 2, 3);

    fixture.start(WriteFixture.CONFIG);
    assertThat(fixture.room.abort("b", anothers.incarnation(), ids, ends))
        .as("of an incarnation before")
        .containsExactly(0, 1, 2, 3);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> fixture.room.abort("a", one.incarnation(), ids, ends.subList(0, 3)))
        .withMessage("4 leases, but 3 ends");
  }

  private static boolean isPooled(WriteFixture fixture, WriteGrantData grant) {
    String number = "%016x.".formatted(grant.slot());
    return fixture.pooled().stream()
        .anyMatch(file -> file.getFileName().toString().startsWith(number));
  }

  @Test
  void afterARestartLentSlotsWaitForTheTimeOfTheirFolder() {
    WriteFixture fixture = new WriteFixture(root);
    WriteGrantData grant = fixture.allocate("a", block(1));
    fixture.start(WriteFixture.config(1_000).build());

    assertThat(fixture.renew("a", grant)).isZero();
    fixture.abort("a", grant);
    assertThat(fixture.status().quarantined()).isEqualTo(1);
    fixture.pass(T + I - 1);
    fixture.room.upkeep();
    assertThat(fixture.leased()).hasSize(1);
    fixture.pass(1);
    fixture.room.upkeep();
    assertThat(fixture.leased()).isEmpty();
  }

  @Test
  void replicaThatCannotBeRemovedIsTriedAgain() {
    WriteFixture fixture = new WriteFixture(root);
    fixture.writer.invalidateFails = true;
    fixture.abort("a", fixture.allocate("a", block(1)));
    assertThat(fixture.writer.hasRbw(block(1))).isTrue();
    fixture.writer.invalidateFails = false;
    fixture.room.upkeep();
    assertThat(fixture.writer.hasRbw(block(1))).isFalse();
  }

  @Test
  void volumeThatWentEndsItsLeases() {
    WriteFixture fixture = new WriteFixture(root);
    WriteGrantData grant = fixture.allocate("a", block(1));
    fixture.writer.unmount(fixture.storage);
    fixture.room.upkeep();
    assertThat(fixture.renew("a", grant)).isZero();
    assertThat(fixture.room.volumes()).isEmpty();

    fixture.writer.mount(fixture.storage);
    fixture.room.upkeep();
    assertThat(fixture.status().quarantined()).isEqualTo(1);
    fixture.pass(T + I);
    fixture.room.upkeep();
    assertThat(fixture.leased()).isEmpty();
  }

  @Test
  void leaseThatComesTooLateIsTakenBack() {
    WriteFixture fixture = new WriteFixture(root);
    fixture.threads.holding = true;
    CompletableFuture<AllocateResult> answer =
        fixture.room.allocate(command("a", block(1), BLOCK), 1);
    assertThat(answer).isNotDone();
    InjectedStep.at(Step.LEASE, fixture.threads::timeOut);
    try {
      fixture.threads.runHeld();
    } finally {
      InjectedStep.none();
    }
    assertThat(((AllocateResult.Refused) answer.join()).reason())
        .isEqualTo(FallbackReason.VOLUME_STALLED);
    assertThat(fixture.room.leases(0, 10)).isEmpty();
    assertThat(fixture.status().quarantined()).as("nobody was told of it").isZero();
    assertThat(fixture.writer.hasRbw(block(1))).isFalse();
  }

  @Test
  void leaseThatFailsToBeToldIsTakenBack() {
    WriteFixture fixture = new WriteFixture(root);
    InjectedStep.failAt(Step.TELL);
    try {
      assertThat(fixture.refusal(command("a", block(1), BLOCK)))
          .isEqualTo(FallbackReason.INTERNAL_ERROR);
    } finally {
      InjectedStep.none();
    }
    assertThat(fixture.room.leases(0, 10)).isEmpty();
    assertThat(fixture.status().quarantined()).isZero();
    assertThat(fixture.writer.hasRbw(block(1))).isFalse();
  }
}
