// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.allocate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import io.rdio.core.testing.ManualClock;
import io.rdio.datanode.allocate.SlotDirectory.Kept;
import io.rdio.datanode.volume.Storage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Links of blocks' files that are to be slots again. */
final class KeptFilesTest {
  private static final int BYTES = 3;

  @TempDir Path root;
  private final ManualClock clock = new ManualClock();
  private SlotDirectory directory;
  private KeptFiles kept;
  private Path file;

  @BeforeEach
  void create() throws IOException {
    directory = new SlotDirectory(root, 90_000);
    directory.create();
    directory.createKept();
    kept = new KeptFiles(directory);
    kept.load();
    file = Files.write(root.resolve("file"), new byte[BYTES]);
  }

  private static Kept kept(long number, long blockId) {
    return new Kept(number, number + 1, blockId, 1001, BYTES);
  }

  private static List<Long> blocks(List<Kept> files) {
    return files.stream().map(Kept::blockId).toList();
  }

  @Test
  void allAreLookedAtInTurn() throws IOException {
    for (int i = 1; i <= 3; i++) {
      kept.keep(kept(i, i), file);
    }
    assertThat(blocks(kept.next(2))).containsExactly(1L, 2L);
    assertThat(blocks(kept.next(2))).containsExactly(3L, 1L);
    kept.letGo(2);
    kept.letGo(2);
    assertThat(blocks(kept.next(9))).containsExactly(3L, 1L);
    assertThat(SlotMaker.linksOf(file)).isEqualTo(3);
    assertThat(kept.count()).isEqualTo(2);
    assertThat(kept.count(BYTES)).isEqualTo(2);
    assertThat(kept.count(BYTES + 1)).isZero();
  }

  /** The later one would be found by nobody who is about to change the block. */
  @Test
  void ofABlockOneFileIsKept() throws IOException {
    Path later = Files.write(root.resolve("later"), new byte[BYTES]);
    kept.keep(kept(1, 7), file);
    kept.keep(kept(2, 7), later);
    assertThat(SlotMaker.linksOf(later)).isEqualTo(1);
    assertThat(kept.count()).isEqualTo(1);

    Files.createLink(directory.link(kept(2, 7)), later);
    KeptFiles next = new KeptFiles(directory);
    next.load();
    assertThat(next.count()).isEqualTo(1);
    assertThat(directory.kept()).hasSize(1);
  }

  @Test
  void fileThatIsGoneIsNotKept() {
    assertThatIOException().isThrownBy(() -> kept.keep(kept(1, 7), root.resolve("gone")));
    assertThat(kept.count()).isZero();
    assertThat(kept.count(BYTES)).isZero();
  }

  /** It would not be known which of those that are there are new. */
  @Test
  void nothingIsKeptBeforeItIsKnownWhatThereIs() throws IOException {
    KeptFiles unread = new KeptFiles(directory);
    unread.keep(kept(1, 7), file);
    assertThat(unread.count()).isZero();
    assertThat(SlotMaker.linksOf(file)).isEqualTo(1);
  }

  /** Where nothing is written any more. */
  @Test
  void removalTakesAllLinksAwayAndNothingElse() throws IOException {
    kept.keep(kept(1, 7), file);
    Path strange = Files.createFile(directory.link(kept(1, 7)).resolveSibling("thesis"));
    Storage storage = new Storage("DS-1", root, true);
    List<Storage> storages = new ArrayList<>();
    WriteFixture.Threads threads = new WriteFixture.Threads();
    KeptRemoval removal = new KeptRemoval(() -> storages, threads, clock);
    removal.upkeep();
    assertThat(SlotMaker.linksOf(file)).isEqualTo(2);

    storages.add(storage);
    storages.add(new Storage("DS-2", root.resolve("never written to"), true));
    removal.upkeep();
    assertThat(SlotMaker.linksOf(file)).isEqualTo(1);
    assertThat(strange).exists();

    // A volume that went, and comes from another host.
    storages.clear();
    removal.upkeep();
    Files.createLink(directory.link(kept(1, 7)), file);
    storages.add(storage);
    removal.upkeep();
    assertThat(SlotMaker.linksOf(file)).isEqualTo(1);
  }

  @Test
  void removalGoesOnBehindAFailureAndTriesItAgain() throws IOException {
    for (int i = 1; i <= 9; i++) {
      kept.keep(kept(i, i), file);
    }
    Path stuck = Files.createDirectory(directory.link(kept(10, 10)));
    Path inside = Files.createFile(stuck.resolve("file"));
    Storage storage = new Storage("DS-1", root, true);
    KeptRemoval removal =
        new KeptRemoval(() -> List.of(storage), new WriteFixture.Threads(), clock);
    removal.upkeep();
    assertThat(SlotMaker.linksOf(file)).isEqualTo(1);
    assertThat(stuck).exists();

    Files.delete(inside);
    removal.upkeep();
    assertThat(stuck).as("not at once").exists();
    clock.advance(Duration.ofSeconds(5));
    removal.upkeep();
    assertThat(stuck).doesNotExist();
  }
}
