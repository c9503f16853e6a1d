// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.FallbackException;
import io.rdio.core.block.BlockKey;
import io.rdio.core.ext4.Ext4Image;
import io.rdio.core.testing.InMemory;
import io.rdio.core.testing.Requirements;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A file system that grows while somebody reads it, and a block that lies where it was not. */
final class GrownVolumeTest {
  private static final BlockKey BLOCK = new BlockKey("BP-1", 2, 1001);
  private static final int SUPERBLOCK = 1;
  private static final int FS_BLOCK = 1024;
  private static final long OLD_BLOCKS = 8192;
  private static final long OLD_INODES = 2048;

  @TempDir(factory = InMemory.class)
  Path directory;

  private PlaneImage image;
  private GuardedImage guarded;
  private GuardedImage.Reader reader;

  @BeforeEach
  void readASmallOne() throws Exception {
    Ext4Image.requireTools();
    Requirements.requireTool("resize2fs");
    image = PlaneImage.small(directory);
    image.checkpoint();
    image.show();
    guarded = GuardedImage.of(image);
    reader = guarded.new Reader();
    assertThat(reader.read()).isEqualTo((byte) 'b');
  }

  /** Grows it, and writes a block when there is no room but in what is new. */
  private void grow() throws IOException {
    image.grow();
    Path block = image.outside(PlaneImage.filled('n', PlaneImage.BLOCK_BYTES));
    Path meta = image.outside(PlaneImage.meta(PlaneImage.BLOCK_BYTES));
    image.change(
        "seti <12> " + (OLD_INODES - 11),
        "setb 2000 " + (OLD_BLOCKS - 2000),
        "write " + block + " " + PlaneImage.DIRECTORY + "/blk_2",
        "write " + meta + " " + PlaneImage.DIRECTORY + "/blk_2_1001.meta");
  }

  private static void assertFound(GuardedImage by) throws FallbackException {
    ReplicaFiles.Found found = by.storage.resolve(BLOCK).found();
    assertThat(found.blockLength()).isEqualTo(PlaneImage.BLOCK_BYTES);
    assertThat(found.blockExtents().physical(0)).isGreaterThanOrEqualTo(OLD_BLOCKS * FS_BLOCK);
  }

  @Test
  void whatLiesBehindItsOldEndIsFound() throws Exception {
    grow();
    image.show();
    assertFound(guarded);
    assertThat(guarded.counters.mountsSeen.sum()).isZero();
    reader.assertExpired();
    assertThat(guarded.new Reader().read()).isEqualTo((byte) 'b');

    long opened = guarded.counters.volumesOpened.sum();
    int reads = image.device().reads();
    guarded.live.look();
    assertThat(image.device().reads() - reads).as("a look is what it was").isEqualTo(2);
    assertThat(guarded.counters.volumesOpened.sum()).isEqualTo(opened);
  }

  /** The host that grew it may die before its superblock goes home. */
  @Test
  void alsoWhereTheLogAloneHasItsNewSuperblock() throws Exception {
    byte[] before = image.log().bytes();
    grow();
    byte[] grown = image.log().bytes();
    byte[] home = grown.clone();
    int at = SUPERBLOCK * FS_BLOCK;
    System.arraycopy(before, at, home, at, FS_BLOCK);
    Files.write(image.log().file(), home);
    image.log().commitBlocks(new int[] {SUPERBLOCK}, grown);
    image.show();

    assertFound(guarded);
    assertFound(GuardedImage.of(image));
    reader.assertExpired();
    long opened = guarded.counters.volumesOpened.sum();
    guarded.live.look();
    assertThat(guarded.counters.volumesOpened.sum()).as("once").isEqualTo(opened);
  }
}
