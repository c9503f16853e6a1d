// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.allocate;

import static io.rdio.datanode.allocate.WriteFixture.BLOCK;
import static io.rdio.datanode.allocate.WriteFixture.block;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** For which kept files zeros leave places of the pool free, and for how long (W15). */
final class ExpectedSlotsTest {
  private static final long I = 60_000;
  private static final long EXPECTING = 600_000;

  @TempDir Path root;
  private final WriteConfig recycling = WriteFixture.config(30_000).recycles(true).build();
  private WriteFixture fixture;

  @BeforeEach
  void start() {
    fixture = new WriteFixture(root, recycling);
    fixture.idle = false; // while blocks are written
  }

  /** Blocks that are committed, with the numbers {@code first} to {@code last}. */
  private void write(long first, long last) throws IOException {
    for (long id = first; id <= last; id++) {
      WriteGrantData grant = fixture.allocateAndWrite(block(id), BLOCK);
      assertThat(fixture.commit(grant, BLOCK)).isEqualTo(new CommitResult.Committed());
    }
  }

  private void pass(long millis) {
    fixture.pass(millis);
    fixture.room.upkeep();
  }

  @Test
  void placesAreLeftFreeForWhatIsKeptUpToHalfOfThePool() throws IOException {
    write(1, 3);
    fixture.idle = true;
    pass(10_000);
    assertThat(fixture.kept()).hasSize(3);
    assertThat(fixture.status().free()).as("of four, zeros for two").isEqualTo(2);

    for (int i = 1; i <= 3; i++) {
      fixture.writer.delete(block(i));
    }
    pass(I);
    assertThat(fixture.leased()).as("as many as places are left").hasSize(2);
    pass(I);
    assertThat(fixture.status().free()).isEqualTo(4);
  }

  /** Blocks that nobody deletes must not cost half of the pool for ever. */
  @Test
  void noPlaceIsLeftWhereNothingWasDeletedForAWhile() throws IOException {
    write(1, 3);
    fixture.idle = true;
    pass(EXPECTING - 1);
    assertThat(fixture.status().free()).as("it is not known yet").isEqualTo(2);
    pass(1);
    assertThat(fixture.kept()).hasSize(3);
    assertThat(fixture.status().free()).isEqualTo(4);
  }

  @Test
  void placesAreLeftAgainBehindADeletion() throws IOException {
    write(1, 4);
    fixture.idle = true;
    pass(EXPECTING);
    assertThat(fixture.status().free()).isEqualTo(4);
    fixture.writer.delete(block(1));
    pass(0);
    assertThat(fixture.kept()).as("the pool does not want it").hasSize(3);

    write(5, 6);
    pass(EXPECTING - 1);
    assertThat(fixture.status().free()).isEqualTo(2);
    pass(1);
    assertThat(fixture.status().free()).isEqualTo(4);
  }

  /** Else a slot that is made while a block is written takes the place of that block's file. */
  @Test
  void placeIsLeftForWhatIsLent() throws IOException {
    WriteGrantData grant = fixture.allocateAndWrite(block(1), BLOCK);
    fixture.idle = true;
    pass(20_000);
    assertThat(fixture.status().free()).isEqualTo(3);
    assertThat(fixture.commit(grant, BLOCK)).isEqualTo(new CommitResult.Committed());
    pass(20_000);
    assertThat(fixture.status().free()).isEqualTo(3);
    assertThat(fixture.room.counters().slotsMade()).as("at the start").isEqualTo(4);
  }

  @Test
  void noPlaceIsLeftWithoutAJournal() {
    fixture.files.hasJournal = false;
    fixture.start(recycling);
    fixture.allocate("a", block(1));
    fixture.idle = true;
    pass(20_000);
    assertThat(fixture.status().free()).isEqualTo(4);
  }

  @Test
  void placeIsLeftForWhatIsInQuarantine() throws IOException {
    write(1, 1);
    pass(I); // the hold link goes
    fixture.writer.delete(block(1));
    pass(0);
    assertThat(fixture.leased()).hasSize(1);
    fixture.idle = true;
    pass(I - 1);
    assertThat(fixture.status().free()).isEqualTo(3);
    pass(1);
    assertThat(fixture.status().free()).isEqualTo(4);
    assertThat(fixture.room.counters().slotsMade()).as("at the start").isEqualTo(4);
  }
}
