// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.allocate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import io.rdio.core.extent.ExtentList;
import io.rdio.core.fence.AgentKey;
import io.rdio.datanode.volume.AgentFences;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Where slots are when a move is not durable. */
final class SlotDirectoryTest {
  private static final int BYTES = 4096;
  private static final Slot SLOT =
      new Slot(1, 2, BYTES, ExtentList.of(new long[] {BYTES}, new long[] {BYTES}));

  @TempDir Path root;
  private SlotDirectory directory;
  private int syncs;

  /** The sync of a folder that fails; 0: none. */
  private int failing;

  @BeforeEach
  void create() throws IOException {
    directory = new SlotDirectory(root, 90_000, this::sync);
    directory.create();
  }

  private void sync(Path folder) throws IOException {
    syncs++;
    if (syncs == failing) {
      throw new IOException("cannot sync " + folder);
    }
  }

  private Path made() throws IOException {
    return Files.write(directory.making(SLOT.number()), new byte[BYTES]);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void slotThatIsNotDurablyInThePoolTakesNoSpace(int which) throws IOException {
    Path made = made();
    failing = which;

    assertThatIOException().isThrownBy(() -> directory.toPool(made, SLOT));

    assertThat(directory.pool()).isEmpty();
    assertThat(made).doesNotExist();
  }

  /** Its block may have it already: whoever asked for it looks where it is. */
  @Test
  void slotThatIsNotDurablyStagedIsStaged() throws IOException {
    directory.toPool(made(), SLOT);
    syncs = 0;
    failing = 1;

    Path staged = directory.staged(SLOT, WriteFixture.block(7), AgentFences.NOBODY);
    assertThatIOException().isThrownBy(() -> directory.stage(SLOT, staged));

    assertThat(directory.pool()).isEmpty();
    assertThat(directory.lent())
        .containsExactly(new SlotDirectory.Lent(staged, SLOT.number(), 90_000, AgentFences.NOBODY));
  }

  /** Its block's end would not be durable by the time at which something else is written there. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void fileThatIsNotDurablyAmongTheLentIsNoSlot(int which) throws IOException {
    SlotDirectory.Kept kept = kept(-7);
    failing = syncs + which;

    assertThatIOException().isThrownBy(() -> directory.recycle(kept));

    assertThat(directory.lent()).isEmpty();
    assertThat(directory.kept()).isEmpty();
  }

  /** Of a block of an erasure-coded group, say. */
  @Test
  void whatIsKeptHasItsSlotAndItsBlockInItsName() throws IOException {
    SlotDirectory.Kept kept = kept(Long.MIN_VALUE);
    String tooMuch = Slot.name(5, 6) + "." + "9".repeat(19) + ".1";
    for (String strange : List.of("thesis", tooMuch)) {
      Files.createFile(directory.link(kept).resolveSibling(strange));
    }

    assertThat(new SlotDirectory(root, 1).kept()).containsExactly(kept);

    Path lent = directory.recycle(kept);
    assertThat(directory.kept()).isEmpty();
    assertThat(new SlotDirectory(root, 1).lent())
        .containsExactly(new SlotDirectory.Lent(lent, SLOT.number(), 90_000, AgentFences.NOBODY));
  }

  private SlotDirectory.Kept kept(long blockId) throws IOException {
    directory.createKept();
    SlotDirectory.Kept kept = SlotDirectory.Kept.of(SLOT, WriteFixture.block(blockId));
    Files.createLink(directory.link(kept), Files.write(root.resolve("blk"), new byte[BYTES]));
    Files.delete(root.resolve("blk"));
    return kept;
  }

  @Test
  void nothingIsKeptWhereNothingEverWas() throws IOException {
    assertThat(directory.kept()).isEmpty();
  }

  /** A restart must not forget whom to shut out before the slot is somebody else's (W8). */
  @Test
  void nameOfALentSlotHasTheKeyOfItsHost() throws IOException {
    long key = AgentKey.next(AgentKey.name(-1));
    directory.toPool(made(), SLOT);
    Path staged = directory.staged(SLOT, WriteFixture.block(-7), key);

    directory.stage(SLOT, staged);

    assertThat(new SlotDirectory(root, 1).lent())
        .containsExactly(new SlotDirectory.Lent(staged, SLOT.number(), 90_000, key));
  }
}
