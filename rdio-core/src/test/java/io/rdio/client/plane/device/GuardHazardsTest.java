// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.FallbackReason;
import io.rdio.core.ext4.Crc32c;
import io.rdio.core.ext4.Ext4Image;
import io.rdio.core.ext4.Inode;
import io.rdio.core.testing.InMemory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What a writer may do to the two files of a block while somebody reads them: the reader one step
 * in front of it has the block's bytes, and one step behind it none. What it may do to its log is
 * {@link LogHazardsTest}'s.
 */
final class GuardHazardsTest {
  private static final String BLOCK = PlaneImage.BLOCK_FILE;
  private static final String META = PlaneImage.META_FILE;
  private static final String POOL = "/data/current/BP-1/current";
  private static final String LATER = " 20300101000000";

  @TempDir(factory = InMemory.class)
  Path directory;

  private PlaneImage image;

  @BeforeEach
  void makeImage() throws Exception {
    Ext4Image.requireTools();
    image = PlaneImage.fit(directory);
  }

  /** What ends a map: its name, and requests of debugfs, of which the first are done before. */
  static Stream<Arguments> losses() {
    return Stream.of(
        loss("deleted", 0, "rm " + BLOCK, "rm " + META),
        loss("truncated", 0, "punch " + BLOCK + " 4 7", "sif " + BLOCK + " size 4000"),
        loss(
            "deleted while somebody has it open",
            0,
            "sif " + BLOCK + " links_count 0",
            "unlink " + BLOCK),
        loss("made anew in the same second", 0, "sif " + BLOCK + " generation 99"),
        loss("made anew with the same generation", 0, "sif " + BLOCK + " crtime" + LATER),
        loss("written again, a tick later", 0, "sif " + BLOCK + " ctime_extra 4"),
        loss("written again within a tick", 0, "sif " + BLOCK + " version 7"),
        loss("journalled from now on", 0, "sif " + BLOCK + " flags 0x84000"),
        loss("moved by e4defrag", 0, "sif " + BLOCK + " block[5] 12000"),
        loss("its meta file truncated", 0, "sif " + META + " size 40"),
        loss("its meta file moved", 0, "sif " + META + " block[5] 12000"),
        loss(
            "appended to",
            1,
            "mkdir " + POOL + "/rbw",
            "ln " + BLOCK + " " + POOL + "/rbw/blk_1",
            "unlink " + BLOCK,
            "sif " + POOL + "/rbw/blk_1 ctime" + LATER),
        loss(
            "its meta file has another stamp",
            0,
            "ln " + META + " " + PlaneImage.DIRECTORY + "/blk_1_1002.meta",
            "unlink " + META,
            "sif " + PlaneImage.DIRECTORY + "/blk_1_1002.meta ctime" + LATER),
        loss(
            "copied for an append, since it is pinned",
            2,
            "ln " + BLOCK + " /data/pin",
            "sif " + BLOCK + " links_count 2",
            "unlink " + BLOCK,
            "sif /data/pin links_count 1",
            "sif /data/pin ctime" + LATER),
        loss(
            "in the trash of an upgrade",
            1,
            "mkdir /data/trash",
            "ln " + BLOCK + " /data/trash/blk_1",
            "unlink " + BLOCK,
            "sif /data/trash/blk_1 ctime" + LATER));
  }

  private static Arguments loss(String what, int before, String... requests) {
    return Arguments.of(what, before, List.of(requests));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("losses")
  void noByteIsHandedOutBehindIt(String what, int before, List<String> requests) throws Exception {
    if (before > 0) {
      image.commit(requests.subList(0, before).toArray(String[]::new));
      image.show();
    }
    GuardedImage guarded = GuardedImage.of(image);
    GuardedImage.Reader reader = guarded.new Reader();
    reader.before();
    image.commit(requests.subList(before, requests.size()).toArray(String[]::new));
    assertThat(reader.data()).isEqualTo((byte) 'b');
    reader.after(); // it is not on the device yet
    assertThat(reader.isValid()).isTrue();

    reader.before();
    image.show();
    reader.giveAway('X');
    assertThat(reader.data()).as("this makes it a test").isEqualTo((byte) 'X');
    reader.assertExpired();
    assertThat(guarded.counters.filesChanged.sum()).as("it was R3 that saw it").isEqualTo(1);
  }

  /** Too early the bytes are right, and dropped; too late they are none. */
  @ParameterizedTest
  @MethodSource("discards")
  void blocksThatAreDiscardedBehindTheCommit(boolean early) throws Exception {
    GuardedImage guarded = GuardedImage.of(image);
    GuardedImage.Reader reader = guarded.new Reader();
    reader.before();
    image.commit("rm " + BLOCK, "rm " + META);
    image.show();
    if (early) {
      assertThat(reader.data()).isEqualTo((byte) 'b');
    }
    reader.giveAway('\0');
    if (!early) {
      assertThat(reader.data()).isEqualTo((byte) 0);
    }
    reader.assertExpired();
    guarded.assertNone(FallbackReason.REPLICA_NOT_FOUND);
  }

  static Stream<Boolean> discards() {
    return Stream.of(true, false);
  }

  /** As an upgrade does: the map ends, and the next one is of the same bytes. */
  @Test
  void anotherLinkToTheSameFile() throws Exception {
    GuardedImage guarded = GuardedImage.of(image);
    GuardedImage.Reader reader = guarded.new Reader();
    image.commit(
        "ln " + BLOCK + " /data/previous",
        "sif " + BLOCK + " links_count 2",
        "sif " + BLOCK + " ctime" + LATER);
    image.show();
    reader.assertExpired();
    assertThat(guarded.new Reader().read()).isEqualTo((byte) 'b');
  }

  @Test
  void whatIsBeingWrittenIsNoReplicaUntilItIsFinalized() throws Exception {
    String rbw = POOL + "/rbw/blk_1";
    image.commit("mkdir " + POOL + "/rbw", "ln " + BLOCK + " " + rbw, "unlink " + BLOCK);
    image.show();
    GuardedImage guarded = GuardedImage.of(image);
    guarded.assertNone(FallbackReason.REPLICA_NOT_FOUND);
    image.commit("ln " + rbw + " " + BLOCK, "unlink " + rbw);
    guarded.assertNone(FallbackReason.REPLICA_NOT_FOUND);
    image.show();
    assertThat(guarded.new Reader().read()).isEqualTo((byte) 'b');
  }

  /** With delayed allocation a file has first a name, then a size, and its extents at last. */
  @Test
  void whatWasNotWrittenBackIsNoReplicaYet() throws Exception {
    Path content = image.outside(PlaneImage.filled('b', PlaneImage.BLOCK_BYTES));
    image.checkpoint();
    image.change("rm " + BLOCK, "write " + image.outside(new byte[0]) + " " + BLOCK);
    image.show();
    GuardedImage guarded = GuardedImage.of(image);
    guarded.assertNone(FallbackReason.REPLICA_CHANGED);
    image.commit("sif " + BLOCK + " size " + PlaneImage.BLOCK_BYTES);
    image.show();
    guarded.assertNone(FallbackReason.EXTENTS_UNMAPPABLE);
    image.checkpoint();
    image.change("rm " + BLOCK, "write " + content + " " + BLOCK);
    guarded.assertNone(FallbackReason.EXTENTS_UNMAPPABLE);
    image.commit("sif " + BLOCK + " mtime" + LATER);
    image.show();
    assertThat(guarded.new Reader().read()).isEqualTo((byte) 'b');
  }

  private static Inode inode(GuardedImage guarded) throws Exception {
    return guarded.live.current().volume().resolve(BLOCK);
  }

  /** Commits another place of the file's first block, in the tree's block alone. */
  private void moveInTheTree(int tree, Inode inode) throws IOException {
    byte[] all = image.log().bytes();
    ByteBuffer node =
        ByteBuffer.wrap(all, tree * 1024, 1024).slice().order(ByteOrder.LITTLE_ENDIAN);
    node.putInt(12 + 8, 12_000);
    int seed =
        Crc32c.extend(
            Crc32c.START,
            ByteBuffer.allocate(16)
                .putLong(PlaneImage.FS.getMostSignificantBits())
                .putLong(PlaneImage.FS.getLeastSignificantBits())
                .flip());
    seed = Crc32c.extend(Crc32c.extend(seed, (int) inode.number()), inode.generation());
    int tail = 12 + 12 * node.getShort(4);
    node.putInt(tail, Crc32c.extend(seed, node.slice(0, tail)));
    image.log().commitBlocks(new int[] {tree}, all);
  }

  @Test
  void extentsThatTheInodeHasNoRoomFor() throws Exception {
    int tree = image.breakToPieces();
    GuardedImage guarded = GuardedImage.of(image);
    GuardedImage.Reader reader = guarded.new Reader();
    moveInTheTree(tree, inode(guarded));
    assertThat(reader.read()).isEqualTo((byte) 'b');
    image.show();
    reader.giveAway('X');
    assertThat(guarded.new Reader().map.blockExtents().physical(0))
        .as("the tree is whole")
        .isEqualTo(12_000L * 1024);
    reader.assertExpired();
  }

  @Test
  void withoutTheTreeInTheFootprintTheyAreHandedOut() throws Exception {
    int tree = image.breakToPieces();
    GuardedImage guarded = GuardedImage.of(image);
    TracedFile inodeAlone = TracedFile.of(inode(guarded), List.of(), new long[0]);
    GuardedImage.Reader reader =
        guarded
        .new Reader(
            moment ->
                new DeviceGuard(
                    guarded.live,
                    moment.opened(),
                    new Footprint(inodeAlone, moment.found().footprint().meta()),
                    moment.position()));
    moveInTheTree(tree, inode(guarded));
    image.show();
    reader.giveAway('X');
    assertThat(reader.read()).isEqualTo((byte) 'X');
  }

  /** A directory's block as somebody could write it who was given it when it was freed. */
  private byte[] hostileDirectory(int block) throws IOException {
    byte[] before = image.log().bytes();
    image.change("unlink " + BLOCK, "ln /other/evil " + BLOCK);
    byte[] after = image.log().bytes();
    Files.write(image.log().file(), before);
    return Arrays.copyOfRange(after, block * 1024, (block + 1) * 1024);
  }

  /**
   * Has a directory's block freed and written to by somebody, with checksums that hold, behind the
   * look that the next resolve begins with.
   *
   * @param blind whether the resolve then looks no more
   */
  private GuardedImage attackTheNextResolve(boolean blind) throws Exception {
    image.checkpoint();
    Path evil = image.outside(PlaneImage.filled('X', PlaneImage.BLOCK_BYTES));
    image.change("write " + evil + " /other/evil");
    image.show();
    GuardedImage guarded = GuardedImage.of(image);
    assertThat(guarded.new Reader().read()).isEqualTo((byte) 'b');
    Inode parent = guarded.live.current().volume().resolve(PlaneImage.DIRECTORY);
    int block = (int) guarded.live.current().volume().extents(parent).get(0).physical();
    byte[] hostile = hostileDirectory(block);
    guarded.onLook =
        () -> {
          guarded.onLook = () -> {};
          guarded.blind = blind;
          image.log().commitBlocks(new int[] {block}, image.log().bytes());
          image.show();
          System.arraycopy(hostile, 0, image.bytes(), block * 1024, hostile.length);
          guarded.live.current().blocks().forget();
        };
    return guarded;
  }

  @Test
  void aDirectoryThatBecameSomebodysDataIsReadAgain() throws Exception {
    GuardedImage guarded = attackTheNextResolve(false);
    assertThat(guarded.new Reader().read()).isEqualTo((byte) 'b');
    assertThat(guarded.counters.resolvesAgain.sum()).isEqualTo(1);
  }

  @Test
  void withoutTheSecondLookItIsFollowed() throws Exception {
    GuardedImage guarded = attackTheNextResolve(true);
    GuardedImage.Reader reader = guarded.new Reader();
    assertThat(reader.data()).isEqualTo((byte) 'X');
  }

  @Test
  void metadataThatChangesAllTheTimeIsGivenUp() throws Exception {
    GuardedImage guarded = GuardedImage.of(image);
    assertThat(guarded.new Reader().read()).isEqualTo((byte) 'b');
    int[] left = {1};
    guarded.onLook =
        () -> {
          if (left[0]-- > 0) {
            image.commit("sif " + BLOCK + " atime 2030010100000" + left[0] % 10);
            image.show();
          }
        };
    guarded.new Reader();
    assertThat(guarded.counters.resolvesAgain.sum()).as("once is nothing").isEqualTo(1);
    left[0] = 2 * Moment.ATTEMPTS;
    guarded.assertNone(FallbackReason.VOLUME_STALLED);
    assertThat(left[0]).as("transactions that were not needed").isZero();
  }

  /** What R5 refuses a volume for: the device has other bytes than the file. */
  @Test
  void dataOfWhichTheLogHasACopy() throws Exception {
    GuardedImage guarded = GuardedImage.of(image);
    GuardedImage.Reader reader = guarded.new Reader();
    int block = (int) (reader.map.blockExtents().physical(0) / 1024);
    byte[] newer = image.log().bytes();
    Arrays.fill(newer, block * 1024, (block + 1) * 1024, (byte) 'n');
    image.log().commitBlocks(new int[] {block}, newer);
    assertThat(guarded.new Reader().read()).isEqualTo((byte) 'b');
    image.show();
    assertThat(reader.read()).as("whoever does not ask the log").isEqualTo((byte) 'b');
    assertThat(guarded.live.current().journal().block(block).get(0)).isEqualTo((byte) 'n');
    guarded.assertNone(FallbackReason.FILE_SYSTEM_UNSUPPORTED);
  }
}
