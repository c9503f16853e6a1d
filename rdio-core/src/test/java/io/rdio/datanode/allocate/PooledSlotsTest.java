// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.allocate;

import static io.rdio.datanode.allocate.WriteFixture.BLOCK;
import static io.rdio.datanode.allocate.WriteFixture.block;
import static io.rdio.datanode.allocate.WriteFixture.command;
import static io.rdio.datanode.allocate.WriteFixture.content;
import static io.rdio.datanode.allocate.WriteFixture.crcs;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.FallbackReason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How full the pool is kept, and when a slot is made for it. */
final class PooledSlotsTest {
  private static final long T = 30_000;

  @TempDir Path root;

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

  /**
   * By whoever stood for the volume before, as the first of them is looked at; of the others some
   * are wanted, or none. The volume is open at once all the same.
   */
  @ParameterizedTest
  @ValueSource(ints = {1, 4})
  void slotsThatVanishWhileThePoolIsLookedAtArePassedOver(int wanted) {
    WriteFixture fixture = new WriteFixture(root);
    List<Path> pool = fixture.pooled();
    fixture.files.beforeDrop = first -> deleteOthers(pool, first);
    fixture.idle = false;
    fixture.start(WriteFixture.config(T).poolBytes((long) wanted * BLOCK).build());
    assertThat(fixture.status().refusal()).isNull();
    assertThat(fixture.status().free()).isEqualTo(1);
    assertThat(fixture.pooled()).hasSize(1);
  }

  private static void deleteOthers(List<Path> pool, Path looked) {
    if (pool.contains(looked)) {
      pool.stream().filter(file -> !file.equals(looked)).forEach(file -> file.toFile().delete());
    }
  }

  /** One whose name leads nowhere is to it as one that goes between its look and the next. */
  @Test
  void lentSlotThatIsGoneIsNotQuarantinedAndTheOthersAre() throws IOException {
    WriteFixture fixture = new WriteFixture(root);
    WriteGrantData grant = fixture.allocate("a", block(1));
    Path there = fixture.slotOf(grant);
    Path gone = there.resolveSibling(Slot.name(7, 8) + ".2.1001");
    Files.createSymbolicLink(gone, root.resolve("nowhere"));
    fixture.start(WriteFixture.CONFIG);
    assertThat(fixture.status().refusal()).isNull();
    assertThat(fixture.status().quarantined()).isEqualTo(1);
    assertThat(there).exists();
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

  /** A volume is looked after just when its writer waits for the next block, too. */
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

  /** That costs a look at HDFS's account and at the device, for nothing that would be due. */
  @Test
  void noVolumeIsLookedAfterForTheSakeOfABlockThatWasCommitted() throws IOException {
    WriteFixture fixture = new WriteFixture(root);
    byte[] content = content(1000);
    WriteGrantData good = fixture.allocateAndWrite(block(1), content.length);
    WriteGrantData bad = fixture.allocate("a", block(2));
    int before = fixture.upkeeps.get();
    assertThat(fixture.commit("a", good, content.length, crcs(content)))
        .isInstanceOf(CommitResult.Committed.class);
    assertThat(fixture.upkeeps).hasValue(before);
    assertThat(fixture.commit("a", bad, content.length, crcs(content)))
        .isInstanceOf(CommitResult.Refused.class);
    assertThat(fixture.upkeeps).as("its replica is to go").hasValue(before + 1);
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

  /** Or all later ones would cross the fabric for the sake of one. */
  @Test
  void oneFailureOfTheDeviceCostsNoMoreThanOneSlot() {
    WriteFixture fixture = new WriteFixture(root);
    fixture.files.deviceWritesZeroes = true;
    fixture.start(WriteFixture.config(T).poolBytes(5L * BLOCK).build());
    assertThat(fixture.files.zeroesTried).hasValue(2);
    fixture.allocate("a", block(1));
    fixture.files.zeroesFail = "Input/output error";
    fixture.pass(2_000);
    fixture.room.upkeep();
    assertThat(fixture.files.zeroesTried).hasValue(3);
    assertThat(fixture.status().free()).isEqualTo(4);
    assertThat(WriteFixture.filesIn(fixture.slots().resolve("making"))).isEmpty();

    fixture.pass(5_000);
    fixture.room.upkeep();
    assertThat(fixture.files.zeroesTried).hasValue(4);
    assertThat(fixture.status().free()).isEqualTo(5);
    assertThat(fixture.room.counters().slotsMade()).isEqualTo(2);
    assertThat(fixture.room.counters().slotsZeroed()).isZero();
  }

  /** A slot that costs zeros is better than none. */
  @Test
  void zerosAreWrittenWhereTheDeviceFailsAlways() {
    WriteFixture fixture = new WriteFixture(root);
    fixture.files.deviceWritesZeroes = true;
    fixture.start(WriteFixture.config(T).poolBytes(5L * BLOCK).build());
    fixture.allocate("a", block(1));
    fixture.files.zeroesFail = "Input/output error";
    fixture.files.zeroesFailAlways = true;
    fixture.pass(2_000);
    fixture.room.upkeep();
    fixture.pass(5_000);
    fixture.room.upkeep();
    assertThat(fixture.files.zeroesTried).hasValue(4);
    assertThat(fixture.status().free()).isEqualTo(4);

    fixture.pass(10_000);
    fixture.room.upkeep();
    assertThat(fixture.files.zeroesTried).as("for the third time").hasValue(5);
    assertThat(fixture.status().free()).isEqualTo(5);
    assertThat(fixture.room.counters().slotsMade()).isEqualTo(2);
    assertThat(fixture.room.counters().slotsZeroed()).isEqualTo(1);

    fixture.files.zeroesFail = null;
    fixture.allocate("a", block(2));
    fixture.pass(2_000);
    fixture.room.upkeep();
    assertThat(fixture.files.zeroesTried).as("the device is tried again").hasValue(6);
    assertThat(fixture.status().free()).isEqualTo(5);
    assertThat(fixture.room.counters().slotsZeroed()).isEqualTo(1);
  }

  /** They would cross the fabric for nothing, at each try. */
  @Test
  void noZerosAreWrittenToSpaceThatIsInTooManyPieces() throws IOException {
    WriteFixture fixture = new WriteFixture(root);
    fixture.allocate("a", block(1));
    int before = fixture.files.openedToWrite.get();
    fixture.files.extents = 65;
    for (int i = 0; i < 3; i++) {
      fixture.pass(20_000);
      fixture.room.upkeep();
    }
    assertThat(fixture.files.openedToWrite).hasValue(before);
    assertThat(WriteFixture.filesIn(fixture.slots().resolve("making"))).isEmpty();

    fixture.files.extents = 64;
    fixture.pass(20_000);
    fixture.room.upkeep();
    assertThat(fixture.files.openedToWrite.get()).isGreaterThan(before);
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
}
