// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.allocate;

import static io.rdio.datanode.allocate.WriteFixture.block;
import static io.rdio.datanode.allocate.WriteFixture.content;
import static io.rdio.datanode.allocate.WriteFixture.crcs;
import static io.rdio.datanode.allocate.WriteFixture.reason;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.FallbackReason;
import io.rdio.core.write.SlotEnd;
import io.rdio.datanode.allocate.InjectedStep.Step;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What each failed step of a Commit leaves. */
final class CommitStepsTest {
  private static final int LENGTH = 5_000;

  @TempDir Path root;

  @AfterEach
  void reset() {
    Thread.interrupted();
    InjectedStep.none();
  }

  private static WriteGrantData written(WriteFixture fixture) throws IOException {
    WriteGrantData grant = fixture.allocate("a", block(1));
    WriteFixture.write(fixture.leased().get(0), content(LENGTH));
    return grant;
  }

  private static CommitResult commit(WriteFixture fixture, WriteGrantData grant) {
    return fixture.commit("a", grant, LENGTH, crcs(content(LENGTH)));
  }

  @ParameterizedTest
  @EnumSource(names = {"HOLD", "CUT", "READ_BACK", "META", "RENAME"})
  void failureBeforeTheNameLeavesAQuarantinedSlotAndNoReplica(Step step) throws IOException {
    WriteFixture fixture = new WriteFixture(root);
    WriteGrantData grant = written(fixture);
    InjectedStep.failAt(step);
    assertThat(reason(commit(fixture, grant))).isEqualTo(FallbackReason.INTERNAL_ERROR);

    assertThat(fixture.writer.hasRbw(block(1))).isFalse();
    assertThat(fixture.leased()).hasSize(1);
    assertThat(fixture.renew("a", grant)).isZero();
    fixture.pass(59_999);
    fixture.room.upkeep();
    assertThat(fixture.leased()).hasSize(1);
    fixture.pass(1);
    fixture.room.upkeep();
    assertThat(fixture.leased()).isEmpty();
    assertThat(fixture.holds()).isEmpty();
    assertThat(fixture.status().quarantined()).isZero();
  }

  @Test
  void fileWithoutALengthIsNoReplica() throws IOException {
    WriteFixture fixture = new WriteFixture(root);
    WriteGrantData grant = written(fixture);
    InjectedStep.failAt(Step.LENGTH);
    assertThat(reason(commit(fixture, grant))).isEqualTo(FallbackReason.INTERNAL_ERROR);
    assertThat(fixture.writer.hasRbw(block(1))).isFalse();
    assertThat(fixture.leased()).isEmpty();
    assertThat(fixture.holds()).hasSize(1); // late writes land in a file that nobody has
  }

  /** Nobody recovers it where its block has others, and HDFS would keep it to its next start. */
  @Test
  void replicaThatIsNotFinalizedIsTakenAway() throws IOException {
    WriteFixture fixture = new WriteFixture(root);
    WriteGrantData grant = written(fixture);
    InjectedStep.failAt(Step.FINISH);
    assertThat(reason(commit(fixture, grant))).isEqualTo(FallbackReason.INTERNAL_ERROR);
    assertNothingButTheHoldIsLeft(fixture);
    assertThat(reason(commit(fixture, grant))).isEqualTo(FallbackReason.REPLICA_CHANGED);
  }

  private void assertNothingButTheHoldIsLeft(WriteFixture fixture) {
    assertThat(fixture.writer.hasRbw(block(1))).isFalse();
    assertThat(root.resolve("current/rbw")).isEmptyDirectory();
    assertThat(fixture.leased()).isEmpty();
    assertThat(fixture.status().quarantined()).isZero();
    assertThat(fixture.holds()).hasSize(1); // late writes land in a file that nobody has
    fixture.pass(60_000);
    fixture.room.upkeep();
    assertThat(fixture.holds()).isEmpty();
  }

  @Test
  void recoveryThatInterruptsBehindTheNameFindsTheReplicaWhole() throws IOException {
    WriteFixture fixture = new WriteFixture(root);
    WriteGrantData grant = written(fixture);
    fixture.writer.finishFails = true;
    InjectedStep.at(Step.FINISH, () -> Thread.currentThread().interrupt());
    CommitResult result = commit(fixture, grant);
    Thread.interrupted();
    assertThat(reason(result)).isEqualTo(FallbackReason.REPLICA_CHANGED);
    fixture.room.upkeep();
    assertThat(fixture.writer.hasRbw(block(1))).isTrue();
    assertThat(root.resolve("current/rbw/blk_1")).hasBinaryContent(content(LENGTH));
    assertThat(Files.size(root.resolve("current/rbw/blk_1_1001.meta")))
        .isEqualTo(7 + crcs(content(LENGTH)).length);
    assertThat(fixture.leased()).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(names = {"SEAL", "KEEP", "ANSWER"})
  void whoAsksAgainHearsThatItIsFinalized(Step step) throws IOException {
    WriteFixture fixture = new WriteFixture(root);
    WriteGrantData grant = written(fixture);
    InjectedStep.failAt(step);
    assertThat(reason(commit(fixture, grant))).isEqualTo(FallbackReason.INTERNAL_ERROR);
    assertThat(commit(fixture, grant)).isEqualTo(new CommitResult.Committed());
    assertThat(fixture.writer.told).containsExactly(block(1));
  }

  /** Its host has lost nothing, and need not register anew (W8). */
  @ParameterizedTest
  @EnumSource(names = {"HOLD", "RENAME", "LENGTH", "FINISH", "SEAL", "ANSWER"})
  void whoGivesUpWhatACommitHasEndedIsNotLate(Step step) throws IOException {
    WriteFixture fixture = new WriteFixture(root);
    WriteGrantData grant = written(fixture);
    InjectedStep.failAt(step);
    assertThat(reason(commit(fixture, grant))).isEqualTo(FallbackReason.INTERNAL_ERROR);
    assertThat(fixture.abort("a", grant, SlotEnd.QUIET)).isZero();
    assertThat(fixture.abort("b", grant, SlotEnd.QUIET)).as("is not its holder").isEqualTo(1);
  }

  @Test
  void errorOfHdfsAtTheEndLeavesNothing() throws IOException {
    WriteFixture fixture = new WriteFixture(root);
    WriteGrantData grant = written(fixture);
    fixture.writer.finishFails = true;
    assertThat(reason(commit(fixture, grant))).isEqualTo(FallbackReason.PIN_FAILED);
    assertNothingButTheHoldIsLeft(fixture);
  }

  @ParameterizedTest
  @EnumSource(names = {"HOLD", "CUT", "READ_BACK", "META", "RENAME"})
  void recoveryThatInterruptsFindsTheReplicaEmpty(Step step) throws IOException {
    WriteFixture fixture = new WriteFixture(root);
    WriteGrantData grant = written(fixture);
    InjectedStep.at(step, () -> Thread.currentThread().interrupt());
    CommitResult result = commit(fixture, grant);
    Thread.interrupted();
    assertThat(reason(result)).isEqualTo(FallbackReason.REPLICA_CHANGED);
    assertThat(fixture.leased()).hasSize(1);
  }

  @ParameterizedTest
  @EnumSource(names = {"HOLD", "RENAME"})
  void replicaThatIsAnotherObjectByNowIsNotTouched(Step step) throws IOException {
    WriteFixture fixture = new WriteFixture(root);
    WriteGrantData grant = written(fixture);
    InjectedStep.at(step, () -> fixture.writer.recover(block(1)));
    assertThat(reason(commit(fixture, grant))).isEqualTo(FallbackReason.REPLICA_CHANGED);
    assertThat(root.resolve("current/rbw/blk_1")).isEmptyFile();
    assertThat(fixture.leased()).hasSize(1);
  }

  /** Commits find the folder of their holds, which somebody may have taken away. */
  @Test
  void folderOfHoldsThatIsGoneIsMadeAgain() throws IOException {
    WriteFixture fixture = new WriteFixture(root);
    Path pins = root.resolve("rdio/pins");
    try (Stream<Path> folders = Files.list(pins)) {
      for (Path folder : folders.toList()) {
        Files.delete(folder);
      }
    }
    Files.delete(pins);
    assertThat(commit(fixture, written(fixture))).isInstanceOf(CommitResult.Committed.class);
    assertThat(fixture.holds()).hasSize(1);
  }

  /** Of a block that fills its slot nothing is new but its CRCs and its names. */
  @Test
  void fileIsSyncedByItselfOnlyWhereItIsCut() throws IOException {
    WriteFixture fixture = new WriteFixture(root);
    int before = fixture.files.cuts.get();
    WriteGrantData whole = fixture.allocateAndWrite(block(1), WriteFixture.BLOCK);
    assertThat(fixture.commit(whole, WriteFixture.BLOCK))
        .isInstanceOf(CommitResult.Committed.class);
    assertThat(fixture.files.cuts).hasValue(before);

    WriteGrantData part = fixture.allocateAndWrite(block(2), LENGTH);
    assertThat(fixture.commit(part, LENGTH)).isInstanceOf(CommitResult.Committed.class);
    assertThat(fixture.files.cuts).hasValue(before + 1);
  }

  @Test
  void pagesThatStayInTheCacheAreNoBlock() throws IOException {
    WriteFixture fixture = new WriteFixture(root);
    WriteGrantData grant = written(fixture);
    InjectedStep.at(Step.CUT, () -> fixture.files.cached = 3);
    assertThat(reason(commit(fixture, grant))).isEqualTo(FallbackReason.PIN_FAILED);
  }

  @Test
  void oneWrongByteInTheLastUnitOfAnExtentIsFound() throws IOException {
    WriteFixture fixture = new WriteFixture(root);
    WriteGrantData grant = fixture.allocate("a", block(1));
    byte[] content = content(LENGTH);
    byte[] crcs = crcs(content);
    content[4095] ^= 1;
    WriteFixture.write(fixture.leased().get(0), content);
    assertThat(reason(fixture.commit("a", grant, LENGTH, crcs)))
        .isEqualTo(FallbackReason.CHECKSUM_MISMATCH);
  }

  @Test
  void allOfItIsReadBackWhereThatIsWanted() throws IOException {
    WriteFixture fixture =
        new WriteFixture(root, WriteFixture.config(30_000).verify(WriteConfig.Verify.ALL).build());
    byte[] content = content(1_000_000);
    byte[] crcs = crcs(content);
    for (int i = 1; i < 4; i++) {
      WriteGrantData grant = fixture.allocate("a", block(i));
      byte[] written = content.clone();
      if (i < 3) {
        written[i * 400_000] ^= 1;
      }
      Path slot =
          fixture.leased().stream()
              .filter(file -> file.toString().contains("%016x".formatted(grant.slot())))
              .findFirst()
              .orElseThrow();
      WriteFixture.write(slot, written);
      CommitResult result = fixture.commit("a", grant, written.length, crcs);
      assertThat(result instanceof CommitResult.Committed).isEqualTo(i == 3);
    }
  }
}
