// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.allocate;

import static io.rdio.datanode.allocate.WriteFixture.BLOCK;
import static io.rdio.datanode.allocate.WriteFixture.block;
import static io.rdio.datanode.allocate.WriteFixture.command;
import static io.rdio.datanode.allocate.WriteFixture.reason;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.FallbackReason;
import io.rdio.datanode.allocate.InjectedStep.Step;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A volume that HDFS takes out, and puts back, while a slot of it is being lent, committed or
 * recycled. One whose slot is leased is in {@link AbortedSlotsTest}.
 */
final class SwappedVolumeTest {
  private static final long T = 30_000;
  private static final long I = 60_000;
  private static final int LENGTH = 5_000;

  @TempDir Path root;
  private WriteFixture fixture;

  @BeforeEach
  void start() {
    fixture = new WriteFixture(root);
  }

  @AfterEach
  void injectNothing() {
    InjectedStep.none();
  }

  private void takeOut() {
    fixture.writer.unmount(fixture.storage);
    fixture.room.upkeep();
  }

  private void putBack() {
    fixture.writer.mount(fixture.storage);
    fixture.room.upkeep();
  }

  private WriteGrantData written() throws IOException {
    return fixture.allocateAndWrite(block(1), LENGTH);
  }

  private CommitResult commit(WriteGrantData grant) {
    return fixture.commit(grant, LENGTH);
  }

  private void assertLeftAloneFor(long millis) {
    assertThat(fixture.status().quarantined()).isEqualTo(1);
    fixture.pass(millis - 1);
    fixture.room.upkeep();
    assertThat(fixture.leased()).hasSize(1);
    fixture.pass(1);
    fixture.room.upkeep();
    assertThat(fixture.leased()).isEmpty();
    assertThat(fixture.status().quarantined()).isZero();
  }

  /** An agent asks a DataNode that is not ready again, for a minute, which would be in vain. */
  @Test
  void commitIsRefusedForGoodWhereItsVolumeWent() throws IOException {
    WriteGrantData grant = written();
    InjectedStep.at(Step.READ_BACK, this::takeOut);
    CommitResult refused = commit(grant);
    assertThat(reason(refused)).isEqualTo(FallbackReason.REPLICA_CHANGED);
    assertThat(commit(grant)).isEqualTo(refused);
    putBack();
    assertLeftAloneFor(T + I);
  }

  @Test
  void blockGetsNoNameOnAVolumeThatIsBeingTakenOut() throws IOException {
    WriteGrantData grant = written();
    InjectedStep.at(Step.RENAME, this::takeOut);
    assertThat(reason(commit(grant))).isEqualTo(FallbackReason.PIN_FAILED);
    assertThat(root.resolve("current/rbw/blk_1")).isEmptyFile();
    putBack();
    assertLeftAloneFor(T + I);
  }

  /** What was quarantined as the volume came back stays so, whatever the Commit of before does. */
  @Test
  void norOnOneThatIsBackByThen() throws IOException {
    WriteGrantData grant = written();
    InjectedStep.at(
        Step.RENAME,
        () -> {
          takeOut();
          putBack();
        });
    assertThat(reason(commit(grant))).isEqualTo(FallbackReason.REPLICA_CHANGED);
    assertThat(root.resolve("current/rbw/blk_1")).isEmptyFile();
    assertLeftAloneFor(T + I);
  }

  @Test
  void nobodyIsToldOfAReplicaThatWentWithItsVolume() throws IOException {
    WriteGrantData grant = written();
    InjectedStep.at(Step.ANSWER, this::takeOut);
    assertThat(reason(commit(grant))).isEqualTo(FallbackReason.REPLICA_CHANGED);
    assertThat(fixture.writer.told).isEmpty();
    assertThat(reason(commit(grant))).as("asked again").isEqualTo(FallbackReason.REPLICA_CHANGED);
  }

  /** Between two looks for storage directories: the lease is as it was, its replica is not. */
  @Test
  void volumeThatNobodyMissedTakesNoCommitOfBefore() throws IOException {
    WriteGrantData grant = written();
    fixture.writer.unmount(fixture.storage);
    fixture.writer.mount(fixture.storage);
    fixture.room.upkeep();
    assertThat(fixture.renew("a", grant)).isEqualTo(T);
    assertThat(reason(commit(grant))).isEqualTo(FallbackReason.REPLICA_CHANGED);
    assertLeftAloneFor(I);
  }

  @Test
  void slotThatIsBeingLentAsItsVolumeGoesIsNobodys() {
    InjectedStep.at(Step.LEASE, this::takeOut);
    assertThat(fixture.refusal(command("a", block(1), BLOCK)))
        .isEqualTo(FallbackReason.DATANODE_NOT_READY);
    assertThat(fixture.room.leases(0, 10)).isEmpty();
    assertThat(fixture.leased()).as("nobody was told of it").isEmpty();
    putBack();
    assertThat(fixture.status().quarantined()).isZero();
    assertThat(fixture.pooled()).hasSize(4);
  }

  /** Nobody would have it back until the next start: what is lent was looked at before. */
  @Test
  void slotThatIsStagedBehindTheLookOfWhoComesNextIsRemoved() {
    InjectedStep.at(
        Step.STAGE,
        () -> {
          InjectedStep.none();
          takeOut();
          putBack();
        });
    assertThat(fixture.refusal(command("a", block(1), BLOCK)))
        .isEqualTo(FallbackReason.DATANODE_NOT_READY);
    assertThat(fixture.leased()).isEmpty();
    assertThat(fixture.pooled()).hasSize(3);

    fixture.idle = false; // none is made in its place, but for who lacks one
    List<AllocateResult> answers = new ArrayList<>();
    for (int i = 2; i <= 5; i++) {
      answers.add(fixture.room.allocate(command("a", block(i), BLOCK), 1).join());
    }
    assertThat(answers)
        .as("of four slots that were found one is not there any more")
        .filteredOn(AllocateResult.Refused.class::isInstance)
        .hasSize(1);
    assertThat(fixture.status().leased()).isEqualTo(3);
    assertThat(fixture.leased()).hasSize(3);
  }

  /** Else it would take its space until the next start: the pool was looked at before. */
  @Test
  void slotThatIsMadeBehindTheLookOfWhoComesNextIsRemoved() {
    fixture.allocate("a", block(1));
    fixture.pass(I); // the volume is quiet, and its pool short by one
    fixture.beforeIdle =
        () -> {
          fixture.beforeIdle = () -> {};
          takeOut();
          putBack(); // which makes one, too
        };
    fixture.room.upkeep();
    assertThat(fixture.status().free()).isEqualTo(4);
    assertThat(fixture.pooled()).hasSize(4);
  }

  /** The same of one whose quarantine is just over: it was found where that is. */
  @Test
  void slotThatBecomesFreeBehindTheLookOfWhoComesNextIsRemoved() {
    WriteGrantData grant = fixture.allocate("a", block(1));
    fixture.abort("a", grant);
    InjectedStep.at(
        Step.POOL,
        () -> {
          InjectedStep.none();
          takeOut();
          putBack();
        });
    fixture.pass(I);
    fixture.room.upkeep();
    assertThat(fixture.leased()).isEmpty();
    assertThat(fixture.status().quarantined()).as("as it was found").isEqualTo(1);
    assertThat(fixture.pooled()).hasSize(fixture.status().free());
    fixture.pass(T + I);
    fixture.room.upkeep();
    assertThat(fixture.status().quarantined()).as("it is not there any more").isZero();
  }

  private void startRecycling() {
    fixture.start(WriteFixture.config(T).recycles(true).build());
    fixture.idle = false; // no slot is made anew
  }

  /** The one that stands for the volume then may have looked already what is kept. */
  @Test
  void fileIsNotKeptOnAVolumeThatWent() throws IOException {
    startRecycling();
    WriteGrantData grant = fixture.allocateAndWrite(block(1), BLOCK);
    InjectedStep.at(Step.KEEP, this::takeOut);
    assertThat(reason(fixture.commit(grant, BLOCK))).isEqualTo(FallbackReason.REPLICA_CHANGED);
    assertThat(root.resolve("current/finalized/subdir0/blk_1")).exists();
    assertThat(fixture.kept()).isEmpty();
  }

  /** Or what is lent: nobody would know of this one, and its space would be lost until a start. */
  @Test
  void fileThatIsBeingRecycledAsItsVolumeGoesIsNoSlot() throws IOException {
    startRecycling();
    for (int i = 1; i <= 2; i++) {
      assertThat(fixture.commit(fixture.allocateAndWrite(block(i), BLOCK), BLOCK))
          .isEqualTo(new CommitResult.Committed());
      fixture.writer.delete(block(i));
    }
    assertThat(fixture.kept()).hasSize(2);
    InjectedStep.at(Step.RECYCLE, this::takeOut);
    fixture.pass(I); // the hold links go
    fixture.room.upkeep();
    assertThat(fixture.leased()).isEmpty();
    assertThat(fixture.kept()).as("the other one is not looked at any more").hasSize(1);

    InjectedStep.none();
    putBack();
    assertThat(fixture.kept()).isEmpty();
    assertLeftAloneFor(I);
  }
}
