// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.allocate;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.datanode.volume.Storage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A Commit that is done once, ahead of all others, and leaves nothing. */
final class CommitRehearsalTest {
  @TempDir Path root;

  private static void assertNothingIsLeft(WriteFixture fixture) {
    assertThat(WriteFixture.filesIn(fixture.slots().resolve("making"))).isEmpty();
    assertThat(fixture.holds()).isEmpty();
    assertThat(fixture.leased()).isEmpty();
    assertThat(fixture.pooled()).hasSize(4);
    assertThat(fixture.room.counters().committed()).isZero();
    assertThat(fixture.room.counters().failures()).isZero();
  }

  @Test
  void isDoneAsSoonAsAVolumeIsOpen() {
    WriteFixture fixture = new WriteFixture(root);
    assertThat(fixture.files.cuts).hasValue(1);
    assertNothingIsLeft(fixture);
  }

  /** Slots take long to make, and as soon as there is one it may be lent and committed. */
  @Test
  void isDoneBeforeAnySlotIsMade() {
    WriteFixture fixture = new WriteFixture(root);
    List<Integer> done = new ArrayList<>();
    fixture.beforeIdle = () -> done.add(fixture.files.cuts.get());
    fixture.start(WriteFixture.config(30_000).poolBytes(6L * WriteFixture.BLOCK).build());
    assertThat(done).isNotEmpty().containsOnly(2);
  }

  @Test
  void isDoneOnceForAllVolumes() throws IOException {
    WriteFixture fixture = new WriteFixture(root);
    fixture.room.upkeep();
    fixture.writer.mount(new Storage("DS-2", Files.createDirectory(root.resolve("other")), true));
    fixture.room.upkeep();
    assertThat(fixture.room.volumes()).hasSize(2);
    assertThat(fixture.files.cuts).hasValue(1);
  }

  @Test
  void isDoneOnTheNextVolumeWhereTheFirstOneCannotBeOpened() throws IOException {
    WriteFixture fixture = new WriteFixture(root);
    Files.createDirectories(fixture.slots().resolve("making/a folder/that is not empty"));
    fixture.start(WriteFixture.CONFIG);
    assertThat(fixture.status().refusal()).isNotNull();
    assertThat(fixture.files.cuts).as("by the start before").hasValue(1);
    fixture.writer.mount(new Storage("DS-2", Files.createDirectory(root.resolve("other")), true));
    fixture.room.upkeep();
    assertThat(fixture.files.cuts).hasValue(2);
  }

  /** Each Commit will say so; the volume is in use all the same. */
  @Test
  void failureIsNobodysLoss() {
    WriteFixture fixture = new WriteFixture(root);
    fixture.files.cached = 1;
    WriteConfig config = WriteFixture.config(30_000).poolBytes(0).build();
    fixture.start(config);
    assertThat(fixture.files.cuts).hasValue(2);
    assertThat(WriteFixture.filesIn(fixture.slots().resolve("making"))).isEmpty();
    assertThat(fixture.status().refusal()).isNull();
    assertThat(fixture.room.counters().failures()).isZero();
  }

  private WriteFixture failing() {
    WriteFixture fixture = new WriteFixture(root);
    fixture.files.cached = 1;
    fixture.start(WriteFixture.config(30_000).poolBytes(0).build());
    return fixture;
  }

  @Test
  void isTriedAgainUntilItIsDone() {
    WriteFixture fixture = failing();
    fixture.room.upkeep();
    assertThat(fixture.files.cuts).as("the start before, and two that failed").hasValue(3);
    fixture.files.cached = 0;
    for (int i = 0; i < 3; i++) {
      fixture.room.upkeep();
      assertThat(fixture.files.cuts).hasValue(4);
    }
  }

  @Test
  void isNotTriedForEver() {
    WriteFixture fixture = failing();
    for (int i = 0; i < 9; i++) {
      fixture.room.upkeep();
    }
    assertThat(fixture.files.cuts).as("the start before, and five that failed").hasValue(6);
  }
}
