// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.allocate;

import static io.rdio.datanode.allocate.WriteFixture.BLOCK;
import static io.rdio.datanode.allocate.WriteFixture.block;
import static io.rdio.datanode.allocate.WriteFixture.command;
import static io.rdio.datanode.allocate.WriteFixture.content;
import static io.rdio.datanode.allocate.WriteFixture.crcs;
import static io.rdio.datanode.allocate.WriteFixture.isOf;
import static io.rdio.datanode.allocate.WriteFixture.reason;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.datanode.volume.Storage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the write room lends, to whom, for how long, and what becomes of it by a commit. */
final class LentSlotsTest {
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

  /** Or, without a journal, a loss of power could leave two names of a file that counts one. */
  @ParameterizedTest
  @ValueSource(ints = {5_000, BLOCK})
  void fileWithItsHoldLinkIsSyncedWhetherItIsCutOrNot(int length) throws IOException {
    WriteFixture fixture = new WriteFixture(root);
    WriteGrantData grant = fixture.allocateAndWrite(block(1), length);
    assertThat(fixture.commit(grant, length)).isEqualTo(new CommitResult.Committed());
    assertThat(fixture.files.syncedInodes).containsExactly(fixture.holds().get(0) + ": 2");
  }

  /** Or the sync would write it to the device, where read-back looks at samples only. */
  @Test
  void pageThatIsCachedIsSeenBeforeAnythingIsSynced() throws IOException {
    WriteFixture fixture = new WriteFixture(root);
    WriteGrantData grant = fixture.allocateAndWrite(block(1), BLOCK);
    fixture.files.cached = 1;
    CommitResult refused = fixture.commit(grant, BLOCK);
    assertThat(reason(refused)).isEqualTo(FallbackReason.PIN_FAILED);
    assertThat(((CommitResult.Refused) refused).detail()).contains("1 pages of");
    assertThat(fixture.files.syncedInodes).isEmpty();
    assertThat(fixture.holds()).isEmpty();
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

  /** It was asked again, by another connection, while the first one was still coming in. */
  @Test
  void commitThatComesInTwiceAtATimeHasOneAnswer() throws FallbackException {
    WriteFixture fixture = new WriteFixture(root);
    WriteGrantData grant = fixture.allocate("a", block(1));
    CommitHead head =
        new CommitHead("a", grant.incarnation(), grant.leaseId(), grant.block(), 5_000);
    byte[] crcs = crcs(content(5_000));
    try (CommitIntake first = fixture.room.openCommit(head);
        CommitIntake second = fixture.room.openCommit(head)) {
      first.add(ByteBuffer.wrap(crcs));
      second.add(ByteBuffer.wrap(crcs));
      CommitResult answer = first.commit().join();

      assertThat(reason(answer)).isEqualTo(FallbackReason.CHECKSUM_MISMATCH);
      assertThat(second.commit().join()).isEqualTo(answer);
    }
    assertThat(fixture.status().committing()).isZero();
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

  /** Whichever is the first; none of them is on the account of an address, which may have one. */
  @Test
  void nextSlotIsLentWhereTheFileOfOneIsGone() throws IOException {
    WriteFixture fixture =
        new WriteFixture(root, WriteFixture.config(T).slotsPerAddress(1).build());
    List<Path> pool = fixture.pooled();
    for (Path file : pool.subList(0, 3)) {
      Files.delete(file);
    }
    fixture.idle = false; // no other is made before one is lacking
    assertThat(isOf(pool.get(3), fixture.allocate("a", block(1)))).isTrue();
    assertThat(fixture.refusal(command("b", block(2), BLOCK)))
        .isEqualTo(FallbackReason.SLOTS_EXHAUSTED);
    fixture.allocate("b", block(2));
  }

  @Test
  void replicaGoesWhereTheFilesOfAllSlotsAreGone() throws IOException {
    WriteFixture fixture = new WriteFixture(root);
    for (Path file : fixture.pooled()) {
      Files.delete(file);
    }
    assertThat(fixture.refusal(command("a", block(1), BLOCK)))
        .isEqualTo(FallbackReason.SLOTS_EXHAUSTED);
    assertThat(fixture.writer.hasRbw(block(1))).isFalse();
    assertThat(fixture.leased()).isEmpty();
    fixture.allocate("a", block(1));
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
            new WriteLeaseInfo(1, WriteFixture.holder("a"), block(1), T - 1_000, BLOCK));
    assertThat(fixture.room.leases(1, 9)).hasSize(1);
    assertThat(fixture.room.leases(2, 9)).isEmpty();
  }
}
