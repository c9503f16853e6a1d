// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.allocate;

import static io.rdio.datanode.allocate.WriteFixture.BLOCK;
import static io.rdio.datanode.allocate.WriteFixture.block;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.block.BlockKey;
import io.rdio.datanode.allocate.InjectedStep.Step;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** W15: which files of blocks are kept, and when they are slots again. */
final class RecycledSlotsTest {
  private static final long T = 30_000;
  private static final long I = 60_000;
  private static final WriteConfig RECYCLING = WriteFixture.config(T).recycles(true).build();

  @TempDir Path root;
  private WriteFixture fixture;

  @BeforeEach
  void start() {
    fixture = new WriteFixture(root, RECYCLING);
    fixture.idle = false; // no slot is made anew, but for who lacks one
  }

  @AfterEach
  void injectNothing() {
    InjectedStep.none();
  }

  /** A block in a slot, which is committed. */
  private WriteGrantData write(long id, int length) throws IOException {
    WriteGrantData grant = fixture.allocateAndWrite(block(id), length);
    assertThat(fixture.commit(grant, length)).isEqualTo(new CommitResult.Committed());
    return grant;
  }

  private Path blockFile(long id) {
    return Objects.requireNonNull(fixture.writer.finalized(block(id))).blockFile();
  }

  private void pass(long millis) {
    fixture.pass(millis);
    fixture.room.upkeep();
  }

  /** Whether a slot is in the pool, under whatever nonce. */
  private boolean isPooled(WriteGrantData grant) {
    String number = "%016x.".formatted(grant.slot());
    return fixture.pooled().stream().anyMatch(file -> isNamed(file, number));
  }

  private static boolean isNamed(Path file, String number) {
    return file.getFileName().toString().startsWith(number);
  }

  /** Without the time in which a busy volume has a slot made all the same. */
  private void removeHolds() throws IOException {
    for (Path hold : fixture.holds()) {
      Files.delete(hold);
    }
  }

  private long recycled() {
    return fixture.room.counters().slotsRecycled();
  }

  @Test
  void deletedBlockOfAWholeSlotIsASlotAgainBehindItsQuarantine() throws IOException {
    long made = fixture.room.counters().slotsMade();
    WriteGrantData grant = write(1, BLOCK);
    Object file = Files.getAttribute(blockFile(1), "unix:ino");
    assertOnly(grant, fixture.kept());
    assertThat(fixture.status().kept()).isEqualTo(1);
    pass(I); // the hold link goes
    assertThat(fixture.kept()).as("its block is there").hasSize(1);

    fixture.writer.delete(block(1));
    fixture.room.upkeep();
    assertThat(fixture.kept()).isEmpty();
    assertOnly(grant, fixture.leased());
    assertThat(fixture.status().quarantined()).isEqualTo(1);
    assertThat(recycled()).isEqualTo(1);
    pass(I - 1);
    assertThat(isPooled(grant)).isFalse();
    pass(1);

    assertThat(isPooled(grant)).isTrue();
    assertThat(fixture.pooled())
        .as("under a new nonce")
        .hasSize(4)
        .noneMatch(pooled -> WriteFixture.isOf(pooled, grant))
        .anyMatch(pooled -> isInode(pooled, file));
    assertThat(fixture.room.counters().slotsMade()).isEqualTo(made);
    assertThat(fixture.status().quarantined()).isZero();
    write(2, BLOCK);
  }

  private static void assertOnly(WriteGrantData grant, List<Path> files) {
    assertThat(files).hasSize(1).allMatch(file -> WriteFixture.isOf(file, grant));
  }

  private static boolean isInode(Path file, Object inode) {
    try {
      return inode.equals(Files.getAttribute(file, "unix:ino"));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** A late write may still land there, and a reader's lease run. */
  @Test
  void holdLinkAndPinsKeepItFromBeingASlot() throws IOException {
    WriteGrantData grant = write(1, BLOCK);
    Path pin = root.resolve("rdio/pins/pin.data");
    Files.createLink(pin, blockFile(1));
    fixture.writer.delete(block(1));
    pass(I - 1);
    assertThat(fixture.holds()).hasSize(2);
    assertThat(fixture.kept()).hasSize(1);
    pass(2 * I);
    assertThat(fixture.holds()).containsExactly(pin);
    assertThat(fixture.kept()).hasSize(1);
    assertThat(fixture.leased()).isEmpty();

    Files.delete(pin);
    pass(0);
    pass(I);
    assertThat(isPooled(grant)).isTrue();
  }

  /** Who had found the name before it went: the pin is seen to be too late, and goes. */
  @Test
  void fileThatGotAnotherNameMeanwhileIsNoSlot() throws IOException {
    WriteGrantData grant = deleted(1);
    Path late = root.resolve("rdio/pins/late.data");
    Files.createLink(late, fixture.slotOf(grant));
    pass(I);
    assertThat(isPooled(grant)).isFalse();
    assertThat(fixture.leased()).isEmpty();
    assertThat(late).exists();
  }

  /** A block that is deleted, and whose file is in quarantine. */
  private WriteGrantData deleted(long id) throws IOException {
    WriteGrantData grant = write(id, BLOCK);
    pass(I);
    fixture.writer.delete(block(id));
    pass(0);
    assertThat(fixture.leased()).anyMatch(file -> WriteFixture.isOf(file, grant));
    return grant;
  }

  /** By a short-circuit reader, say, who knows of no lease; or the kernel does not say. */
  @ParameterizedTest
  @ValueSource(strings = {"open", "not said", "cached"})
  void fileThatIsInUseIsNoSlot(String use) throws IOException {
    WriteGrantData grant = deleted(1);
    switch (use) {
      case "open" -> fixture.files.openForLong(fixture.slotOf(grant));
      case "not said" -> fixture.files.isSilent = true;
      default -> fixture.files.cached = 1;
    }
    pass(I);
    assertThat(isPooled(grant)).isFalse();
    assertThat(fixture.leased()).isEmpty();
    assertThat(fixture.status().quarantined()).isZero();
  }

  @Test
  void blockThatDoesNotFillItsSlotIsNotKept() throws IOException {
    write(1, BLOCK - 1);
    assertThat(fixture.kept()).isEmpty();
  }

  @Test
  void nothingIsKeptWhereTheDeviceWritesZeroesOrWhereItIsOff() throws IOException {
    WriteConfig larger = WriteFixture.config(T).recycles(true).poolBytes(5L * BLOCK).build();
    fixture.files.deviceWritesZeroes = true;
    fixture.idle = true;
    fixture.start(larger);
    write(1, BLOCK);
    assertThat(fixture.kept()).isEmpty();

    fixture.files.deviceWritesZeroes = false;
    fixture.start(WriteFixture.config(T).poolBytes(6L * BLOCK).build());
    write(2, BLOCK);
    assertThat(fixture.kept()).isEmpty();
  }

  @Test
  void linksGoWhenTheDeviceTurnsOutToWriteZeroes() throws IOException {
    fixture.files.deviceWritesZeroes = true;
    fixture.start(RECYCLING);
    write(1, BLOCK);
    assertThat(fixture.kept()).as("while that is not known").hasSize(1);
    fixture.idle = true;
    fixture.start(WriteFixture.config(T).recycles(true).poolBytes(6L * BLOCK).build());
    pass(0);
    assertThat(fixture.room.counters().slotsMade()).isPositive();
    assertThat(fixture.kept()).isEmpty();
    assertThat(blockFile(1)).exists();
  }

  /** HDFS would copy it: it looks how many links there are. */
  @Test
  void blockThatHdfsChangesLosesItsLink() throws IOException {
    write(1, BLOCK);
    write(2, BLOCK);
    fixture.room.beforeChange(new BlockKey("BP-1", 1, 2002));
    fixture.room.beforeChange(block(3));
    assertThat(fixture.kept()).hasSize(1);
    assertThat(fixture.status().kept()).isEqualTo(1);
    pass(I);
    assertThat(SlotMaker.linksOf(blockFile(1))).isEqualTo(1);
    assertThat(SlotMaker.linksOf(blockFile(2))).isEqualTo(2);
  }

  @Test
  void fileThatIsShorterByNowGoesBackToTheFileSystem() throws IOException {
    write(1, BLOCK);
    pass(I);
    Files.write(blockFile(1), new byte[5]); // cut in place
    fixture.writer.delete(block(1));
    pass(0);
    assertThat(fixture.kept()).isEmpty();
    assertThat(fixture.leased()).isEmpty();
    assertThat(recycled()).isZero();
  }

  /** Those in quarantine count: else all that are deleted at once would be kept for that time. */
  @Test
  void noMoreAreTakenThanThePoolWants() throws IOException {
    for (int i = 1; i <= 4; i++) {
      write(i, BLOCK);
    }
    fixture.refusal(WriteFixture.command("a", block(5), BLOCK)); // so one is made
    assertThat(fixture.status().free()).isEqualTo(1);
    removeHolds();
    for (int i = 1; i <= 4; i++) {
      fixture.writer.delete(block(i));
    }
    pass(0);
    assertThat(fixture.kept()).isEmpty();
    assertThat(fixture.leased()).hasSize(3);
    assertThat(recycled()).isEqualTo(3);
    pass(I);
    assertThat(fixture.status().free()).isEqualTo(4);
  }

  /** Nobody waits for files that may never come. */
  @Test
  void whoLacksASlotHasOneMadeAllTheSame() throws IOException {
    for (int i = 1; i <= 4; i++) {
      write(i, BLOCK);
    }
    fixture.refusal(WriteFixture.command("a", block(5), BLOCK));
    assertThat(fixture.status().free()).isEqualTo(1);
  }

  @Test
  void filesAreGivenUpWhereHdfsIsShortOfSpace() throws IOException {
    write(1, BLOCK);
    write(2, BLOCK);
    pass(I);
    fixture.writer.delete(block(1));
    fixture.writer.available = BLOCK; // one less than what is always left to HDFS
    pass(0);
    assertThat(fixture.kept()).as("of the block that is there").hasSize(1);
    assertThat(fixture.leased()).isEmpty();
    assertThat(recycled()).isZero();
    assertThat(fixture.status().free()).as("no slot had to go besides").isEqualTo(2);
  }

  @Test
  void keptFilesOutliveARestart() throws IOException {
    WriteGrantData grant = write(1, BLOCK);
    write(2, BLOCK);
    fixture.start(RECYCLING);
    assertThat(fixture.status().kept()).isEqualTo(2);
    fixture.room.beforeChange(block(2));
    assertOnly(grant, fixture.kept());

    removeHolds();
    fixture.writer.delete(block(1));
    pass(0);
    pass(I);
    assertThat(isPooled(grant)).isTrue();
  }

  /** As any slot that is found there (W4). */
  @Test
  void restartInTheQuarantineBeginsAnother() throws IOException {
    WriteGrantData grant = deleted(1);
    pass(I - 1);
    fixture.start(WriteFixture.config(1_000).recycles(true).build());
    pass(T + I - 1);
    assertThat(isPooled(grant)).isFalse();
    pass(1);
    assertThat(isPooled(grant)).isTrue();
  }

  @Test
  void restartBetweenStampAndPoolBeginsTheQuarantineAnew() throws IOException {
    WriteGrantData grant = deleted(1);
    InjectedStep.failAt(Step.POOL);
    pass(I);
    InjectedStep.none();
    fixture.start(RECYCLING);
    assertOnly(grant, fixture.leased());
    pass(T + I);
    assertThat(isPooled(grant)).isTrue();
  }

  @Test
  void fileThatCannotBeTakenIsLookedAtAgain() throws IOException {
    WriteGrantData grant = write(1, BLOCK);
    removeHolds();
    fixture.writer.delete(block(1));
    InjectedStep.failAt(Step.RECYCLE);
    pass(0);
    assertOnly(grant, fixture.kept());
    InjectedStep.none();
    pass(0);
    assertOnly(grant, fixture.leased());
  }

  @Test
  void linksGoWhenItIsSwitchedOff() throws IOException {
    write(1, BLOCK);
    fixture.start(WriteFixture.CONFIG);
    assertThat(fixture.kept()).isEmpty();
    assertThat(blockFile(1)).exists();
    assertThat(fixture.status().kept()).isZero();
  }

  /** W15.2 does not hold there, or it is not known. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void noFileIsKeptWithoutAJournal(boolean isKnown) throws IOException {
    write(1, BLOCK);
    assertThat(fixture.kept()).hasSize(1);
    fixture.files.hasJournal = !isKnown;
    fixture.files.hidesJournal = !isKnown;

    fixture.start(RECYCLING);

    assertThat(fixture.kept()).as("of an earlier start").isEmpty();
    assertThat(blockFile(1)).exists();
    write(2, BLOCK);
    assertThat(fixture.kept()).isEmpty();
    assertThat(fixture.status().refusal()).as("it is written to all the same").isNull();
  }

  /** Where nothing is lent deleted blocks must not keep their space. */
  @Test
  void linksOfDeletedBlocksGoWhereTheVolumeIsNotOpen() throws IOException {
    write(1, BLOCK);
    write(2, BLOCK);
    removeHolds();
    fixture.writer.delete(block(1));
    Files.createDirectories(fixture.slots().resolve("making/a folder/that is not empty"));
    fixture.start(RECYCLING);
    assertThat(fixture.status().refusal()).isNotNull();
    assertThat(fixture.kept()).as("of the block that is there").hasSize(1);
  }
}
