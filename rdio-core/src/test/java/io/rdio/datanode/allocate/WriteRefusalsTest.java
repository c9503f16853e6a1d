// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.allocate;

import static io.rdio.datanode.allocate.WriteFixture.BLOCK;
import static io.rdio.datanode.allocate.WriteFixture.block;
import static io.rdio.datanode.allocate.WriteFixture.command;
import static io.rdio.datanode.allocate.WriteFixture.content;
import static io.rdio.datanode.allocate.WriteFixture.crcs;
import static io.rdio.datanode.allocate.WriteFixture.reason;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.block.TokenedBlock;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the write room does not lend and not commit, and why. */
final class WriteRefusalsTest {
  private static final long T = 30_000;
  private static final long I = 60_000;

  @TempDir Path root;

  @Test
  void refusalsSayWhy() {
    WriteFixture fixture = new WriteFixture(root);
    fixture.idle = false; // no slot is made in the place of one that is lent
    assertThat(fixture.refusal(command("a", block(1), BLOCK + 1)))
        .isEqualTo(FallbackReason.SLOTS_EXHAUSTED);
    assertThat(
            fixture.refusal(
                new AllocateCommand(
                    WriteFixture.holder("a"),
                    new TokenedBlock(block(1), FakeReplicaWriter.FORGED),
                    "DS-1",
                    BLOCK,
                    ChecksumSpec.Type.CRC32C,
                    512,
                    0)))
        .isEqualTo(FallbackReason.TOKEN_REFUSED);
    assertThat(fixture.refusal(of("DS-1", ChecksumSpec.Type.NULL)))
        .isEqualTo(FallbackReason.CHECKSUM_UNSUPPORTED);
    assertThat(fixture.refusal(of("DS-9", ChecksumSpec.Type.CRC32)))
        .isEqualTo(FallbackReason.STORAGE_UNSUPPORTED);
    fixture.allocate("a", block(1));
    assertThat(fixture.refusal(command("b", block(1), BLOCK)))
        .isEqualTo(FallbackReason.REPLICA_CHANGED);
    assertThat(fixture.status().free()).isEqualTo(3);
  }

  private static AllocateCommand of(String storageId, ChecksumSpec.Type type) {
    return new AllocateCommand(
        WriteFixture.holder("a"), new TokenedBlock(block(1)), storageId, BLOCK, type, 512, 0);
  }

  @Test
  void nothingIsLentWhereAFenceIsDemanded() {
    WriteFixture fixture =
        new WriteFixture(
            root, WriteFixture.config(T).fencing(WriteConfig.Fencing.DEMANDED).build());
    assertThat(fixture.refusal(command("a", block(1), BLOCK)))
        .isEqualTo(FallbackReason.WRITE_UNFENCED);
    FallbackException refusal = fixture.status().refusal();
    assertThat(refusal).isNotNull();
    assertThat(refusal.reason()).isEqualTo(FallbackReason.WRITE_UNFENCED);
  }

  @Test
  void addressHasItsShareQuarantinedSlotsCounted() {
    WriteFixture fixture =
        new WriteFixture(root, WriteFixture.config(T).slotsPerAddress(2).build());
    fixture.abort("a", fixture.allocate("a", block(1)));
    fixture.allocate("a", block(2));
    assertThat(fixture.refusal(command("a", block(3), BLOCK)))
        .isEqualTo(FallbackReason.SLOTS_EXHAUSTED);
    fixture.allocate("b", block(3));

    fixture.pass(I);
    fixture.room.upkeep();
    fixture.allocate("a", block(4));
  }

  @Test
  void volumeLendsNoMoreThanItsCap() {
    WriteFixture fixture =
        new WriteFixture(root, WriteFixture.config(T).lentBytesMax(2L * BLOCK).build());
    fixture.allocate("a", block(1));
    fixture.allocate("b", block(2));
    assertThat(fixture.refusal(command("c", block(3), BLOCK)))
        .isEqualTo(FallbackReason.SLOTS_EXHAUSTED);
  }

  @Test
  void slotWhoseExtentsMovedIsNotLent() {
    WriteFixture fixture = new WriteFixture(root);
    fixture.files.place = 1L << 40;
    assertThat(fixture.refusal(command("a", block(1), BLOCK)))
        .isEqualTo(FallbackReason.EXTENTS_UNMAPPABLE);
    assertThat(fixture.status().quarantined()).isEqualTo(1);
    assertThat(fixture.writer.hasRbw(block(1))).isFalse();
  }

  @Test
  void commitsHaveABoundAndGiveTheirRoomBack() throws FallbackException {
    WriteFixture fixture =
        new WriteFixture(root, WriteFixture.config(T).poolBytes(10L * BLOCK).build());
    fixture.room.upkeep();
    fixture.room.upkeep();
    List<CommitIntake> open = new ArrayList<>();
    for (int i = 0; i < WriteRoom.COMMITS_AT_ONCE; i++) {
      open.add(fixture.room.openCommit(head(fixture.allocate("a", block(i)))));
    }
    CommitHead next = head(fixture.allocate("a", block(99)));
    assertThat(fixture.status().committing()).isEqualTo(8);
    assertThatThrownBy(() -> fixture.room.openCommit(next))
        .isInstanceOfSatisfying(
            FallbackException.class,
            e -> assertThat(e.reason()).isEqualTo(FallbackReason.DATANODE_BUSY));
    open.get(0).close();
    open.get(0).close();
    fixture.room.openCommit(next).close();
    assertThat(fixture.status().committing()).isEqualTo(7);
  }

  private static CommitHead head(WriteGrantData grant) {
    return new CommitHead("a", grant.incarnation(), grant.leaseId(), grant.block(), 1000);
  }

  @Test
  void checksumsAreAsManyAsTheLengthNeeds() throws FallbackException {
    WriteFixture fixture = new WriteFixture(root);
    WriteGrantData grant = fixture.allocate("a", block(1));
    try (CommitIntake intake = fixture.room.openCommit(head(grant))) {
      intake.add(ByteBuffer.allocate(7));
      assertThatThrownBy(intake::commit).isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> intake.add(ByteBuffer.allocate(2)))
          .isInstanceOf(IllegalArgumentException.class);
    }
    assertThat(fixture.renew("a", grant)).isEqualTo(T);
    assertThatThrownBy(
            () ->
                fixture.room.openCommit(
                    new CommitHead("a", grant.incarnation(), grant.leaseId(), block(1), BLOCK + 1)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void leaseThatRanOutIsNotCommitted() throws IOException {
    WriteFixture fixture = new WriteFixture(root);
    WriteGrantData grant = fixture.allocate("a", block(1));
    byte[] content = content(1000);
    WriteFixture.write(fixture.leased().get(0), content);
    fixture.pass(T);
    assertThat(reason(fixture.commit("a", grant, 1000, crcs(content))))
        .isEqualTo(FallbackReason.REPLICA_CHANGED);
    assertThat(fixture.writer.finalized(block(1))).isNull();
  }

  @Test
  void nothingIsBegunOnceItIsClosed() {
    WriteFixture fixture = new WriteFixture(root);
    WriteGrantData grant = fixture.allocate("a", block(1));
    fixture.room.close();
    assertThat(fixture.refusal(command("a", block(2), BLOCK)))
        .isEqualTo(FallbackReason.DATANODE_NOT_READY);
    assertThat(reason(fixture.commit("a", grant, 4, new byte[4])))
        .isEqualTo(FallbackReason.DATANODE_NOT_READY);
  }
}
