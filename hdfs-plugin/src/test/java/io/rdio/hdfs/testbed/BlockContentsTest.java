// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.testbed;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Blocks of two volumes, and what becomes of them. */
class BlockContentsTest {
  private static final String POOL = "current/BP-1/current/";
  private static final String FINALIZED = POOL + "finalized/subdir0/subdir0/";

  @TempDir private Path folder;
  private Path one;
  private Path two;

  @BeforeEach
  void writeBlocks() throws IOException {
    one = folder.resolve("one");
    two = folder.resolve("two");
    for (Path data : List.of(one, two)) {
      write(data, FINALIZED + "blk_1", "first");
      write(data, FINALIZED + "blk_1_1001.meta", "crcs");
    }
  }

  private static void write(Path data, String name, String content) throws IOException {
    Path file = data.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, content);
  }

  private BlockContents contents() throws IOException {
    return BlockContents.of(List.of(one, two));
  }

  @Test
  void blocksAndMetaFilesOfAllVolumesAreThere() throws IOException {
    assertThat(contents().files())
        .containsOnlyKeys(
            one.resolve(FINALIZED + "blk_1"),
            one.resolve(FINALIZED + "blk_1_1001.meta"),
            two.resolve(FINALIZED + "blk_1"),
            two.resolve(FINALIZED + "blk_1_1001.meta"));
  }

  @Test
  void whatIsNotFinalizedIsNobodysYet() throws IOException {
    write(one, POOL + "rbw/blk_2", "");
    write(one, FINALIZED + "other", "x");
    write(one, "rdio/slots/pool/5/blk_3", "x");

    assertThat(contents().files()).hasSize(4);
  }

  @Test
  void oneChangedByteIsFound() throws IOException {
    BlockContents before = contents();
    assertThat(contents().changedSince(before)).isEmpty();

    write(two, FINALIZED + "blk_1", "fIrst");

    assertThat(contents().changedSince(before)).containsExactly(two.resolve(FINALIZED + "blk_1"));
    assertThat(contents().unequalReplicas()).containsExactly("blk_1");
  }

  @Test
  void aBlockThatIsCutOrGrowsIsFound() throws IOException {
    BlockContents before = contents();

    write(one, FINALIZED + "blk_1_1001.meta", "crcs and more");

    assertThat(contents().changedSince(before))
        .containsExactly(one.resolve(FINALIZED + "blk_1_1001.meta"));
    assertThat(contents().unequalReplicas()).as("of blocks alone").isEmpty();
  }

  @Test
  void blocksMayComeAndGo() throws IOException {
    BlockContents before = contents();
    Files.delete(one.resolve(FINALIZED + "blk_1"));
    write(two, FINALIZED + "blk_-7", "of a group");

    assertThat(contents().files()).hasSize(4).containsKey(two.resolve(FINALIZED + "blk_-7"));
    assertThat(contents().changedSince(before)).isEmpty();
    assertThat(contents().unequalReplicas()).isEmpty();
  }
}
