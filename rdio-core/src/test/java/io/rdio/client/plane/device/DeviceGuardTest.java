// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.client.counters.DeviceCounters;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.ext4.Ext4Exception;
import io.rdio.core.ext4.Ext4Image;
import io.rdio.core.ext4.journal.LogImage;
import io.rdio.core.testing.InMemory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Readers by guards, and a writer that gives the block's place away: each rule with the step in
 * front of it and behind it, and what a guard without the rule hands out.
 */
final class DeviceGuardTest {
  @TempDir(factory = InMemory.class)
  Path directory;

  private GuardedImage guarded;
  private PlaneImage image;
  private LiveVolume live;
  private DeviceCounters counters;

  @BeforeEach
  void open() throws Exception {
    Ext4Image.requireTools();
    guarded = GuardedImage.fit(directory);
    image = guarded.image;
    live = guarded.live;
    counters = guarded.counters;
  }

  private void deleteAndGiveAway(GuardedImage.Reader of) throws IOException {
    image.commit("rm " + PlaneImage.BLOCK_FILE, "rm " + PlaneImage.META_FILE);
    image.show();
    of.giveAway('X');
  }

  @Test
  void bytesAreHandedOutWhileNothingIsCommitted() throws Exception {
    GuardedImage.Reader reader = guarded.new Reader();
    int reads = image.device().reads();
    assertThat(reader.read()).isEqualTo((byte) 'b');
    assertThat(image.device().reads() - reads).as("the data, and a look").isEqualTo(3);
    assertThat(reader.map.blockLength()).isEqualTo(PlaneImage.BLOCK_BYTES);
    assertThat(reader.map.metaExtents().length()).isEqualTo(1024);
  }

  @Test
  void andWhileWhatIsCommittedIsOthers() throws Exception {
    GuardedImage.Reader reader = guarded.new Reader();
    image.commit("mkdir /other/made");
    image.show();
    assertThat(reader.read()).isEqualTo((byte) 'b');
  }

  @Test
  void aCompareServesWhereANeighbourWasTouched() throws Exception {
    GuardedImage.Reader reader = guarded.new Reader();
    // In the same block of the inode table.
    image.commit("sif " + PlaneImage.DIRECTORY + " mtime 20260101000000");
    image.show();
    assertThat(reader.read()).isEqualTo((byte) 'b');
    assertThat(counters.comparisons.sum()).isEqualTo(1);
    assertThat(reader.read()).isEqualTo((byte) 'b');
    assertThat(counters.comparisons.sum()).as("it was proved since").isEqualTo(1);
  }

  @Test
  void whenTheFileWasReadOnlyIsNoChange() throws Exception {
    GuardedImage.Reader reader = guarded.new Reader();
    image.commit("sif " + PlaneImage.BLOCK_FILE + " atime 20300101000000");
    image.show();
    assertThat(reader.read()).isEqualTo((byte) 'b');
    image.commit("sif " + PlaneImage.BLOCK_FILE + " ctime 20300101000000");
    image.show();
    reader.assertExpired();
  }

  @Test
  void whatWasGivenAwayBeforeTheDataCameIsSeen() throws Exception {
    GuardedImage.Reader reader = guarded.new Reader();
    reader.before();
    deleteAndGiveAway(reader);
    assertThat(reader.data()).isEqualTo((byte) 'X');
    reader.assertExpired();
  }

  @Test
  void withoutTheLookItIsHandedOut() throws Exception {
    GuardedImage.Reader reader =
        guarded
        .new Reader(
            moment ->
                new DeviceGuard(live, moment.opened(), moment.found().footprint(), 0) {
                  @Override
                  OpenVolume look() {
                    return moment.opened();
                  }
                });
    deleteAndGiveAway(reader);
    assertThat(reader.read()).isEqualTo((byte) 'X');
  }

  @Test
  void withALookAheadOfTheDataItIsHandedOutToo() throws Exception {
    GuardedImage.Reader reader =
        guarded
        .new Reader(
            moment -> {
              OpenVolume looked = live.look();
              return new DeviceGuard(live, moment.opened(), moment.found().footprint(), 0) {
                @Override
                OpenVolume look() {
                  return looked;
                }
              };
            });
    reader.before();
    deleteAndGiveAway(reader);
    byte data = reader.data();
    reader.after();
    assertThat(data).isEqualTo((byte) 'X');
  }

  /** Another file with the same inode, the same size and the same blocks. */
  private void deleteAndWriteAgain(char with) throws IOException {
    Path other = image.outside(PlaneImage.filled(with, PlaneImage.BLOCK_BYTES));
    image.checkpoint();
    image.change("rm " + PlaneImage.BLOCK_FILE);
    image.change("write " + other + " " + PlaneImage.BLOCK_FILE);
    image.commit("sif " + PlaneImage.BLOCK_FILE + " generation 99");
    image.show();
  }

  @Test
  void anotherFileInTheSameInodeIsSeen() throws Exception {
    GuardedImage.Reader reader = guarded.new Reader();
    long place = reader.map.blockExtents().physical(0);
    deleteAndWriteAgain('X');
    GuardedImage.Reader other = guarded.new Reader();
    assertThat(other.map.blockExtents().physical(0)).as("this makes it a test").isEqualTo(place);
    assertThat(other.read()).isEqualTo((byte) 'X');
    reader.assertExpired();
  }

  @Test
  void withoutTheCompareOfInodesItIsHandedOut() throws Exception {
    GuardedImage.Reader reader =
        guarded
        .new Reader(
            moment ->
                new DeviceGuard(
                    live, moment.opened(), moment.found().footprint(), moment.position()) {
                  @Override
                  boolean isUnchanged(OpenVolume now, Footprint was) {
                    return true;
                  }
                });
    deleteAndWriteAgain('X');
    assertThat(reader.read()).isEqualTo((byte) 'X');
  }

  @Test
  void aLogThatWentRoundMakesNoDifference() throws Exception {
    GuardedImage.Reader reader = guarded.new Reader();
    image.commit("mkdir /other/made");
    image.checkpoint();
    image.commit("mkdir /other/again");
    image.show();
    assertThat(reader.read()).isEqualTo((byte) 'b');
    assertThat(counters.comparisons.sum()).isEqualTo(1);

    image.commit("rm " + PlaneImage.BLOCK_FILE);
    image.checkpoint();
    image.commit("mkdir /other/third");
    image.show();
    reader.assertExpired();
  }

  @Test
  void anotherMountEndsAllMaps() throws Exception {
    GuardedImage.Reader reader = guarded.new Reader();
    image.checkpoint();
    image.show();
    assertThat(reader.read()).isEqualTo((byte) 'b');
    image.change("ssv mnt_count 77");
    image.show();
    reader.assertExpired();
    assertThat(counters.mountsSeen.sum()).isEqualTo(1);
    assertThat(guarded.new Reader().read()).isEqualTo((byte) 'b');
  }

  @Test
  void aLogWithoutAProperEndIsLookedAtForASecond() throws Exception {
    GuardedImage.Reader reader = guarded.new Reader();
    image.commit("mkdir /other/made");
    byte[] now = image.log().bytes();
    LogImage.logBlock(now, 2, 2).put(500, (byte) 1);
    System.arraycopy(now, 0, image.bytes(), 0, now.length);
    long before = guarded.clock.nanos();
    assertThatThrownBy(reader::read).hasMessageContaining("METADATA_UNREADABLE");
    assertThat(guarded.clock.nanos() - before).isGreaterThan(LiveVolume.PATIENCE_NANOS);
    assertThat(reader.isValid()).isFalse();
  }

  @Test
  void comparedWithoutTheJournalItIsHandedOut() throws Exception {
    GuardedImage.Reader reader =
        guarded
        .new Reader(
            moment ->
                new DeviceGuard(
                    live, moment.opened(), moment.found().footprint(), moment.position()) {
                  @Override
                  boolean isUnchanged(OpenVolume now, Footprint was) {
                    try {
                      return was.block().isUnchanged(now.home());
                    } catch (Ext4Exception e) {
                      return false;
                    }
                  }
                });
    deleteAndGiveAway(reader);
    assertThat(reader.read()).isEqualTo((byte) 'X');
  }

  @Test
  void errorsThatAreNotedLaterEndAllMaps() throws Exception {
    GuardedImage.Reader reader = guarded.new Reader();
    assertThat(reader.read()).isEqualTo((byte) 'b');
    image.checkpoint();
    image.change("ssv error_count 1");
    image.show();
    assertThatThrownBy(reader::read).hasMessageContaining("has errors noted");
    assertThat(reader.isValid()).isFalse();
  }

  @Test
  void errorsThatTheLogHasEndAllMapsToo() throws Exception {
    GuardedImage.Reader reader = guarded.new Reader();
    byte[] superblock = superblockWithErrors();
    image.log().commitBlocks(new int[] {1}, superblock);
    image.show();
    assertThatThrownBy(reader::read).hasMessageContaining("has errors noted");
  }

  /** All of an image, of which the superblock alone is other. */
  private byte[] superblockWithErrors() throws IOException {
    byte[] before = image.bytes().clone();
    image.change("ssv error_count 1");
    byte[] noted = image.log().bytes();
    Files.write(image.log().file(), before);
    return noted;
  }

  @Test
  void whoIsInterruptedFailsNobodyElse() throws Exception {
    GuardedImage.Reader reader = guarded.new Reader();
    Thread.currentThread().interrupt();
    try {
      assertThatThrownBy(reader::after)
          .isInstanceOfSatisfying(
              FallbackException.class,
              e -> assertThat(e.reason()).isEqualTo(FallbackReason.INTERRUPTED));
    } finally {
      assertThat(Thread.interrupted()).isTrue();
    }
    assertThat(reader.read()).isEqualTo((byte) 'b');
  }

  /** Another reader finds the map bad just as this one takes in that it was interrupted. */
  @Test
  void whoIsInterruptedLeavesTheGuardFailedThatAnotherHasFailed() throws Exception {
    GuardedImage.Reader reader =
        guarded
        .new Reader(
            moment ->
                new DeviceGuard(live, moment.opened(), moment.found().footprint(), 0) {
                  @Override
                  OpenVolume look() throws FallbackException {
                    throw new Interruption(this);
                  }
                });
    assertThatThrownBy(reader::after).isInstanceOf(Interruption.class);
    assertThat(reader.isValid()).isFalse();
  }

  /** One that fails the guard while its reason is asked for. */
  private static final class Interruption extends FallbackException {
    private static final long serialVersionUID = 1;

    private final DeviceGuard guard;

    Interruption(DeviceGuard guard) {
      super(FallbackReason.INTERRUPTED, "looking at the device");
      this.guard = guard;
    }

    @Override
    public FallbackReason reason() {
      guard.fail();
      return super.reason();
    }
  }

  @Test
  void dataInTheLogRefusesTheVolume() throws Exception {
    long block = guarded.new Reader().map.blockExtents().physical(0) / 1024;
    image.log().commitBlocks(new int[] {(int) block}, image.bytes());
    image.show();
    guarded.assertNone(FallbackReason.FILE_SYSTEM_UNSUPPORTED);
  }
}
