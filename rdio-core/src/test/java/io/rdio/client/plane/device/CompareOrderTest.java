// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.FallbackException;
import io.rdio.core.ext4.Ext4Exception;
import io.rdio.core.ext4.Ext4Image;
import io.rdio.core.ext4.Inode;
import io.rdio.core.testing.InMemory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * R3: a compare reads the file's extents first and its inode last, and a file may be cut and
 * written again to the same blocks between the two. Then the extents are the same, and the inode
 * tells. That this can hand out a wrong byte takes a map that is of no one moment, which R6 keeps
 * away; the order holds without it.
 */
final class CompareOrderTest {
  @TempDir(factory = InMemory.class)
  Path directory;

  private PlaneImage image;
  private ChangingDevice metadata;
  private GuardedImage guarded;
  private Inode inode;

  @BeforeEach
  void makeImage() throws Exception {
    Ext4Image.requireTools();
    image = PlaneImage.fit(directory);
    int tree = image.breakToPieces();
    metadata = new ChangingDevice(image, tree);
    guarded = GuardedImage.of(image, metadata);
    inode = guarded.live.current().volume().resolve(PlaneImage.BLOCK_FILE);
    metadata.inodeBlock = inode.block();
  }

  /**
   * A device of which the file changes between the first look at its extents, or inode, and the
   * other.
   */
  private static final class ChangingDevice extends StaleDevice {
    private final PlaneImage image;
    private final long tree;
    private long inodeBlock;
    private boolean armed;
    private long first = -1;
    private boolean changed;

    ChangingDevice(PlaneImage image, long tree) {
      super(image);
      this.image = image;
      this.tree = tree;
    }

    @Override
    public void read(long offset, ByteBuffer target) throws FallbackException {
      long block = offset / 1024;
      if (armed && (block == tree || block == inodeBlock)) {
        if (first >= 0 && block != first && !changed) {
          changed = true;
          change();
        }
        first = first < 0 ? block : first;
      }
      super.read(offset, target);
    }

    /** As a transaction leaves it that was written home. */
    private void change() {
      try {
        image.change("sif " + PlaneImage.BLOCK_FILE + " ctime 20300101000000");
        image.show();
      } catch (IOException e) {
        throw new AssertionError(e);
      }
    }
  }

  /** The log goes round, so both have to be compared, and both are read at home. */
  private void haveAllCompared() throws IOException {
    image.commit("mkdir /other/made");
    image.checkpoint();
    image.commit("mkdir /other/again");
    image.show();
    guarded.onLook = () -> metadata.armed = true;
  }

  @Test
  void fileThatChangesWithinACompareIsSeen() throws Exception {
    GuardedImage.Reader reader = guarded.new Reader();
    haveAllCompared();
    reader.before();
    reader.giveAway('X');
    assertThat(reader.data()).isEqualTo((byte) 'X');
    reader.assertExpired();
    assertThat(metadata.changed).as("this makes it a test").isTrue();
    assertThat(metadata.first).as("what is read first").isEqualTo(metadata.tree);
    assertThat(guarded.counters.filesChanged.sum()).as("it was R3 that saw it").isEqualTo(1);
  }

  @Test
  void whoReadsTheInodeFirstHandsOutTheWrongByte() throws Exception {
    GuardedImage.Reader reader =
        guarded
        .new Reader(
            moment ->
                new DeviceGuard(
                    guarded.live, moment.opened(), moment.found().footprint(), moment.position()) {
                  @Override
                  boolean isUnchanged(OpenVolume now, Footprint was) {
                    return isUnchangedInodeFirst(now, was);
                  }
                });
    haveAllCompared();
    reader.before();
    reader.giveAway('X');
    assertThat(reader.read()).isEqualTo((byte) 'X');
    assertThat(metadata.changed).isTrue();
  }

  private boolean isUnchangedInodeFirst(OpenVolume now, Footprint was) {
    try {
      boolean sameInode = inode.hasSameFile(now.volume().inode(inode.number()));
      // The rule's own compare, whose inode was just read and is in memory: so it is the extents'.
      return sameInode && was.block().isUnchanged(now.volume());
    } catch (Ext4Exception e) {
      return false;
    }
  }

  @Test
  void fileThatDoesNotChangeIsHandedOut() throws Exception {
    GuardedImage.Reader reader = guarded.new Reader();
    haveAllCompared();
    guarded.onLook = () -> {};
    assertThat(reader.read()).isEqualTo((byte) 'b');
    assertThat(guarded.counters.comparisons.sum()).isEqualTo(1);
  }
}
