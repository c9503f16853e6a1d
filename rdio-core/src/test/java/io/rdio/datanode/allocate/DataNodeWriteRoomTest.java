// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.allocate;

import static io.rdio.datanode.allocate.WriteFixture.BLOCK;
import static io.rdio.datanode.allocate.WriteFixture.block;
import static io.rdio.datanode.allocate.WriteFixture.command;
import static io.rdio.datanode.allocate.WriteFixture.content;
import static io.rdio.datanode.allocate.WriteFixture.crcs;
import static io.rdio.datanode.allocate.WriteFixture.reason;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockKey;
import io.rdio.core.write.SlotEnd;
import io.rdio.datanode.volume.Storage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the write room lends, to whom, and for how long. */
final class DataNodeWriteRoomTest {
  private static final long T = 30_000;
  private static final long I = 60_000;
  private static final long LOST = 15 * 60_000;

  @TempDir Path root;

  @Test
  void slotIsLentAndBecomesTheBlock() throws IOException {
    WriteFixture fixture = new WriteFixture(root);
    WriteGrantData grant = fixture.allocate("a", block(1));
    assertThat(grant.leaseMillis()).isEqualTo(T);
    assertThat(grant.ioMillis()).as("what the quarantine is made of").isEqualTo(I);
    assertThat(grant.extents().length()).isEqualTo(BLOCK);
    assertThat(fixture.leased()).hasSize(1);
    assertThat(fixture.leased().get(0)).hasParent(fixture.slots().resolve("leased/90000"));

    byte[] content = content(700_001);
    WriteFixture.write(fixture.leased().get(0), content);
    assertThat(fixture.commit("a", grant, content.length, crcs(content)))
        .isEqualTo(new CommitResult.Committed());

    var replica = fixture.writer.finalized(block(1));
    assertThat(replica).isNotNull();
    assertThat(replica.blockFile()).hasBinaryContent(content);
    assertThat(Files.size(replica.metaFile())).isEqualTo(7 + crcs(content).length);
    assertThat(fixture.writer.told).containsExactly(block(1));
    assertThat(fixture.leased()).isEmpty();
    assertThat(fixture.holds()).hasSize(1);
    assertThat(Files.isSameFile(fixture.holds().get(0), replica.blockFile())).isTrue();
  }

  @Test
  void holdLinkGoesBehindItsTime() throws IOException {
    WriteFixture fixture = new WriteFixture(root);
    WriteGrantData grant = fixture.allocate("a", block(1));
    byte[] content = content(100);
    WriteFixture.write(fixture.leased().get(0), content);
    fixture.commit("a", grant, 100, crcs(content));

    fixture.pass(I - 1);
    fixture.room.upkeep();
    assertThat(fixture.holds()).hasSize(1);
    fixture.pass(1);
    fixture.room.upkeep();
    assertThat(fixture.holds()).isEmpty();
  }

  @Test
  void commitAskedAgainHasTheSameAnswer() throws IOException {
    WriteFixture fixture = new WriteFixture(root);
    WriteGrantData grant = fixture.allocate("a", block(1));
    byte[] content = content(1000);
    WriteFixture.write(fixture.leased().get(0), content);
    CommitResult first = fixture.commit("a", grant, 1000, crcs(content));

    assertThat(fixture.commit("a", grant, 1000, crcs(content))).isEqualTo(first);
    fixture.start(WriteFixture.CONFIG);
    assertThat(fixture.commit("a", grant, 1000, crcs(content))).isEqualTo(first);
    assertThat(reason(fixture.commit("a", grant, 999, crcs(content))))
        .isEqualTo(FallbackReason.REPLICA_CHANGED);
  }

  @Test
  void refusedCommitIsRefusedAgainForTheSameReason() {
    WriteFixture fixture = new WriteFixture(root);
    WriteGrantData grant = fixture.allocate("a", block(1));
    byte[] content = content(5_000);

    // Nothing was written to the slot: its stamp is there.
    CommitResult first = fixture.commit("a", grant, 5_000, crcs(content));
    assertThat(reason(first)).isEqualTo(FallbackReason.CHECKSUM_MISMATCH);
    assertThat(((CommitResult.Refused) first).detail()).contains("stamp is there");
    assertThat(fixture.commit("a", grant, 5_000, crcs(content))).isEqualTo(first);
    assertThat(fixture.writer.hasRbw(block(1))).isFalse();
  }

  @Test
  void leaseRunsOutUnlessItIsRenewed() {
    WriteFixture fixture = new WriteFixture(root);
    WriteGrantData grant = fixture.allocate("a", block(1));
    fixture.pass(T - 1);
    assertThat(fixture.renew("a", grant)).isEqualTo(T);
    assertThat(fixture.renew("b", grant)).isZero();
    fixture.pass(T);
    assertThat(fixture.renew("a", grant)).isZero();

    fixture.room.upkeep();
    assertThat(fixture.writer.hasRbw(block(1))).isFalse();
    assertThat(fixture.status().quarantined()).isEqualTo(1);
    assertThat(fixture.room.leases(0, 10)).isEmpty();
    assertThat(fixture.room.counters().expired()).isEqualTo(1);
  }

  /** By a recovery, say, as the NameNode has not heard of its writer: the agent knows nothing. */
  @Test
  void leaseOfAReplicaThatHdfsHasTakenAwayIsNotRenewed() {
    WriteFixture fixture = new WriteFixture(root);
    WriteGrantData grant = fixture.allocate("a", block(1));
    WriteGrantData another = fixture.allocate("a", block(2));
    fixture.pass(T - 1);
    assertThat(fixture.renew("a", grant)).isEqualTo(T);
    assertThat(fixture.renew("a", another)).isEqualTo(T);
    fixture.writer.recover(block(1));

    for (long passed = 0; passed < LOST; passed += T - 1) {
      fixture.room.upkeep();
      assertThat(fixture.renew("a", grant)).as("a write by it may hang").isEqualTo(T);
      assertThat(fixture.renew("a", another)).isEqualTo(T);
      fixture.pass(T - 1);
    }
    assertThat(fixture.renew("a", grant)).isEqualTo(T);
    assertThat(fixture.renew("a", another)).isEqualTo(T);
    fixture.room.upkeep();

    assertThat(fixture.renew("a", grant)).isZero();
    assertThat(fixture.status().quarantined()).isEqualTo(1);
    assertThat(fixture.room.counters().expired()).isEqualTo(1);
    fixture.pass(T - 1); // its agent may write for that long
    assertThat(fixture.renew("a", another)).isEqualTo(T);
    fixture.pass(I);
    fixture.room.upkeep();
    assertThat(fixture.leased()).as("I behind its term").anyMatch(file -> isOf(file, grant));
    fixture.pass(1);
    fixture.room.upkeep();
    assertThat(fixture.leased()).noneMatch(file -> isOf(file, grant));
  }

  private static boolean isOf(Path file, WriteGrantData grant) {
    return file.getFileName().toString().startsWith(Slot.name(grant.slot(), grant.nonce()));
  }

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
  void poolIsTakenOverAndWhatWasBeingMadeIsNot() throws IOException {
    WriteFixture fixture = new WriteFixture(root);
    List<Path> pool = fixture.pooled();
    assertThat(pool).hasSize(4);
    Files.write(fixture.slots().resolve("making/0000000000000001"), new byte[10]);
    // A stamp that is not whole, and a file that is no slot.
    WriteFixture.write(pool.get(0), new byte[100]);
    Files.write(pool.get(1), new byte[100]);

    fixture.idle = false;
    fixture.start(WriteFixture.CONFIG);
    assertThat(WriteFixture.filesIn(fixture.slots().resolve("making"))).isEmpty();
    assertThat(fixture.pooled()).containsExactlyInAnyOrderElementsOf(pool.subList(2, 4));
    assertThat(fixture.status().free()).isEqualTo(2);
  }

  @Test
  void poolShrinksBeforeHdfsRunsShort() {
    WriteFixture fixture = new WriteFixture(root);
    fixture.writer.available = BLOCK; // one less than what is always left to HDFS
    fixture.room.upkeep();
    assertThat(fixture.pooled()).hasSize(3);
    fixture.writer.available = 0;
    fixture.room.upkeep();
    assertThat(fixture.pooled()).hasSize(1);
  }

  @Test
  void busyVolumeGetsASlotNowAndThenOnly() {
    WriteFixture fixture = new WriteFixture(root);
    fixture.room.upkeep();
    fixture.allocate("a", block(1));
    fixture.allocate("a", block(2));
    fixture.idle = false;
    for (int i = 0; i < 9; i++) {
      fixture.pass(1_000);
      fixture.room.upkeep();
    }
    assertThat(fixture.status().free()).isEqualTo(2);
    fixture.pass(1_000);
    fixture.room.upkeep();
    assertThat(fixture.status().free()).isEqualTo(3);
    fixture.pass(9_999);
    fixture.room.upkeep();
    assertThat(fixture.status().free()).isEqualTo(3);
    fixture.pass(1);
    fixture.room.upkeep();
    assertThat(fixture.status().free()).isEqualTo(4);
  }

  /** Each Commit has its volume looked after, just when its writer waits for the next block. */
  @Test
  void noSlotIsMadeBetweenTwoBlocksOfAWriter() throws IOException {
    WriteFixture fixture = new WriteFixture(root);
    byte[] content = content(1000);
    for (int i = 1; i < 4; i++) {
      WriteGrantData grant = fixture.allocate("a", block(i));
      WriteFixture.write(fixture.leased().get(0), content);
      fixture.pass(1_000);
      assertThat(fixture.commit("a", grant, 1000, crcs(content)))
          .isInstanceOf(CommitResult.Committed.class);
      fixture.pass(1_000);
      fixture.room.upkeep();
      assertThat(fixture.status().free()).isEqualTo(4 - i);
    }
    fixture.pass(1_000);
    fixture.room.upkeep();
    assertThat(fixture.status().free()).isEqualTo(4);
  }

  @Test
  void deviceThatWasBusyHasToBeQuietForAWhile() {
    WriteFixture fixture = new WriteFixture(root);
    fixture.allocate("a", block(1));
    fixture.idle = false;
    fixture.pass(5_000);
    fixture.room.upkeep();
    fixture.idle = true;
    fixture.pass(1_999);
    fixture.room.upkeep();
    assertThat(fixture.status().free()).isEqualTo(3);
    fixture.pass(1);
    fixture.room.upkeep();
    assertThat(fixture.status().free()).isEqualTo(4);
  }

  @Test
  void writerThatFoundNoSlotIsNotLeftWaiting() {
    WriteFixture fixture = new WriteFixture(root);
    fixture.idle = false;
    for (int i = 0; i < 4; i++) {
      fixture.allocate("a", block(i));
      fixture.room.upkeep();
    }
    assertThat(fixture.status().free()).isZero();
    assertThat(fixture.refusal(command("a", block(5), BLOCK)))
        .isEqualTo(FallbackReason.SLOTS_EXHAUSTED);
    assertThat(fixture.status().free()).isEqualTo(1);
    fixture.room.upkeep();
    assertThat(fixture.status().free()).as("now it is busy as before").isEqualTo(1);
  }

  @Test
  void slotThatThePoolNeverHasMakesNoHaste() {
    WriteFixture fixture = new WriteFixture(root);
    fixture.allocate("a", block(1));
    fixture.idle = false;
    assertThat(fixture.refusal(command("a", block(2), BLOCK + 1)))
        .isEqualTo(FallbackReason.SLOTS_EXHAUSTED);
    assertThat(fixture.status().free()).isEqualTo(3);
  }

  @Test
  void zerosOfTheDeviceAreUsedWhereTheyWorkAndTriedOnceWhereNot() {
    WriteFixture fixture = new WriteFixture(root);
    assertThat(fixture.files.zeroesTried).hasValue(1);
    WriteCounters zeroed = fixture.room.counters();
    assertThat(zeroed.slotsZeroed()).isEqualTo(zeroed.slotsMade()).isPositive();

    fixture.files.deviceWritesZeroes = true;
    fixture.start(WriteFixture.config(T).poolBytes(6L * BLOCK).build());
    assertThat(fixture.files.zeroesTried).hasValue(3);
    assertThat(fixture.room.counters().slotsMade()).isEqualTo(2);
    assertThat(fixture.room.counters().slotsZeroed()).isZero();
    assertThat(fixture.status().free()).isEqualTo(6);
  }

  @Test
  void noSlotIsPooledThatIsCachedOrInTooManyPieces() {
    WriteFixture fixture = new WriteFixture(root);
    fixture.allocate("a", block(1));
    fixture.files.cached = 1;
    fixture.pass(2_000);
    fixture.room.upkeep();
    assertThat(fixture.status().free()).isEqualTo(3);

    fixture.files.cached = 0;
    fixture.files.extents = 65;
    fixture.pass(5_000);
    fixture.room.upkeep();
    assertThat(fixture.status().free()).isEqualTo(3);

    fixture.files.extents = 64;
    fixture.pass(10_000);
    fixture.room.upkeep();
    assertThat(fixture.status().free()).isEqualTo(4);
  }

  @Test
  void replicaOnAnotherVolumeGetsASlotOfThatVolume() throws IOException {
    WriteFixture fixture = new WriteFixture(root);
    Storage other = new Storage("DS-2", Files.createDirectory(root.resolve("other")), true);
    fixture.writer.elsewhere = other;
    assertThat(fixture.refusal(command("a", block(1), BLOCK)))
        .isEqualTo(FallbackReason.DATANODE_NOT_READY);

    fixture.writer.mount(other);
    fixture.room.upkeep();
    assertThat(fixture.writer.hasRbw(block(1))).isFalse();
    WriteGrantData grant = fixture.allocate("a", block(1));
    assertThat(grant.storageId()).isEqualTo("DS-2");
    assertThat(fixture.pooled()).hasSize(4);
  }

  @Test
  void leaseThatComesTooLateIsTakenBack() {
    WriteFixture fixture = new WriteFixture(root);
    fixture.threads.holding = true;
    CompletableFuture<AllocateResult> answer =
        fixture.room.allocate(command("a", block(1), BLOCK), 1);
    assertThat(answer).isNotDone();
    WriteFaultInjector.set(
        new WriteFaultInjector() {
          @Override
          public void beforeLease(BlockKey block) {
            fixture.threads.timeOut();
          }
        });
    try {
      fixture.threads.runHeld();
    } finally {
      WriteFaultInjector.set(new WriteFaultInjector());
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
    WriteFaultInjector.set(
        new WriteFaultInjector() {
          @Override
          public void afterLease(BlockKey block) {
            throw new IllegalStateException("as told");
          }
        });
    try {
      assertThat(fixture.refusal(command("a", block(1), BLOCK)))
          .isEqualTo(FallbackReason.INTERNAL_ERROR);
    } finally {
      WriteFaultInjector.set(new WriteFaultInjector());
    }
    assertThat(fixture.room.leases(0, 10)).isEmpty();
    assertThat(fixture.status().quarantined()).isZero();
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
  void listedLeasesSayWhoseTheyAre() {
    WriteFixture fixture = new WriteFixture(root);
    fixture.allocate("a", block(1));
    fixture.pass(1_000);
    fixture.allocate("b", block(2));
    List<WriteLeaseInfo> first = fixture.room.leases(0, 1);
    assertThat(first)
        .containsExactly(
            new WriteLeaseInfo(
                1, WriteFixture.holder("a"), block(1), "DS-1", T - 1_000, BLOCK, false));
    assertThat(fixture.room.leases(1, 9)).hasSize(1);
    assertThat(fixture.room.leases(2, 9)).isEmpty();
  }
}
