// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.device.BlockDevice;
import io.rdio.core.ext4.DirectoryEntry;
import io.rdio.core.ext4.Ext4Exception;
import io.rdio.core.ext4.Ext4Image;
import io.rdio.core.ext4.journal.LogImage;
import io.rdio.core.testing.InMemory;
import io.rdio.core.testing.MemoryDevice;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * People who ask about a volume, and a writer between two of their looks. The first look is ahead
 * of the path, the second one behind it, each one from the third on behind a piece of the file.
 */
final class InspectedVolumeTest {
  private static final int PIECE = 2048;

  @TempDir(factory = InMemory.class)
  Path directory;

  private final ByteArrayOutputStream taken = new ByteArrayOutputStream();
  private GuardedImage guarded;
  private PlaneImage image;
  private InspectedVolume volume;

  @BeforeEach
  void open() throws Exception {
    Ext4Image.requireTools();
    guarded = GuardedImage.fit(directory);
    image = guarded.image;
    volume = new InspectedVolume(guarded.live, PIECE);
  }

  private void behindLooks(List<Integer> numbers, GuardedImage.Step step) {
    int[] looks = {0};
    guarded.onLook =
        () -> {
          if (numbers.contains(++looks[0])) {
            step.run();
          }
        };
  }

  private void copy() throws Ext4Exception, FallbackException, IOException {
    volume.copy(PlaneImage.BLOCK_FILE, taken::writeBytes);
  }

  private long place() throws Ext4Exception, FallbackException {
    return volume.extents(PlaneImage.BLOCK_FILE).get(0).physical() * volume.blockSize();
  }

  private GuardedImage.Step deletedAndGivenAway(long from) {
    return () -> {
      image.commit("rm " + PlaneImage.BLOCK_FILE);
      image.show();
      image.overwrite(from, 1024, 'X');
    };
  }

  private void assertExpiredBehind(int bytes) {
    assertThatThrownBy(this::copy)
        .isInstanceOfSatisfying(
            FallbackException.class,
            e -> assertThat(e.reason()).isEqualTo(FallbackReason.LEASE_EXPIRED))
        .hasMessageContaining("behind its first " + bytes + " bytes");
    assertThat(taken.toByteArray()).isEqualTo(PlaneImage.filled('b', bytes));
  }

  private static List<String> names(InspectedVolume volume, String path)
      throws Ext4Exception, FallbackException {
    return volume.list(path).stream().map(DirectoryEntry::name).toList();
  }

  @Test
  void answersWhileNobodyWrites() throws Exception {
    volume = InspectedVolume.open(image.device(), false);
    assertThat(volume.isLookedAt()).isTrue();
    assertThat(names(volume, "/")).contains("data", "other", "first").doesNotContain(".", "..");
    assertThat(volume.inode(PlaneImage.BLOCK_FILE).size()).isEqualTo(PlaneImage.BLOCK_BYTES);
    assertThat(volume.extents(PlaneImage.BLOCK_FILE).get(0).logical()).isZero();
    copy();
    assertThat(taken.toByteArray()).isEqualTo(PlaneImage.filled('b', PlaneImage.BLOCK_BYTES));
  }

  @Test
  void refusalsSayWhatWasFound() {
    assertRefused(Ext4Exception.Kind.NOT_FOUND, () -> volume.inode("/none"));
    assertRefused(Ext4Exception.Kind.NOT_FOUND, () -> volume.list(PlaneImage.BLOCK_FILE));
    assertRefused(Ext4Exception.Kind.NOT_FOUND, () -> volume.inode(PlaneImage.BLOCK_FILE + "/"));
    assertRefused(Ext4Exception.Kind.UNSUPPORTED, () -> volume.copy("/data", taken::writeBytes));
    BlockDevice empty = new MemoryDevice(new byte[1 << 20], 512);
    assertRefused(Ext4Exception.Kind.DAMAGED, () -> InspectedVolume.open(empty, true));
  }

  private static void assertRefused(Ext4Exception.Kind kind, ThrowingCallable question) {
    assertThatThrownBy(question)
        .isInstanceOfSatisfying(Ext4Exception.class, e -> assertThat(e.kind()).isEqualTo(kind));
  }

  @Test
  void aDirectoryThatChangesMeanwhileIsListedAgain() throws Exception {
    behindLooks(
        List.of(1),
        () -> {
          image.commit("mkdir /other/made");
          image.show();
        });
    assertThat(names(volume, "/other")).containsExactlyInAnyOrder("file", "made");
    assertThat(guarded.counters.resolvesAgain.sum()).isEqualTo(1);
  }

  /** It was large once, and never shrinks. A reader's resolve would look through no such one. */
  @Test
  void aDirectoryOfMoreBlocksThanAReaderMayAskForIsListed() throws Exception {
    Path content = Files.createDirectories(directory.resolve("some").resolve("large"));
    Files.createFile(content.resolve("name"));
    Ext4Image large =
        Ext4Image.make(
            directory.resolve("large"), content.getParent(), "32M", "-t ext4 -b 1024 -J size=1");
    large.change(
        Collections.nCopies(BlockTrace.MAX_BLOCKS, "expand_dir /large").toArray(String[]::new));
    volume = InspectedVolume.open(large.device(), false);
    assertThat(volume.isLookedAt()).isTrue();
    assertThat(volume.inode("/large").size()).isGreaterThan(BlockTrace.MAX_BLOCKS * 1024L);
    assertThat(names(volume, "/large")).containsExactly("name");
  }

  /** The inode is none of the directory's blocks. */
  @Test
  void aDirectoryOnTheWayThatChangesIsWalkedAgain() throws Exception {
    behindLooks(
        List.of(1),
        () -> {
          image.commit("sif /data mode 040700");
          image.show();
        });
    assertThat(volume.inode(PlaneImage.BLOCK_FILE).size()).isEqualTo(PlaneImage.BLOCK_BYTES);
    assertThat(guarded.counters.resolvesAgain.sum()).isEqualTo(1);
  }

  @Test
  void whatWasGivenAwayIsNotHandedOut() throws Exception {
    behindLooks(List.of(2), deletedAndGivenAway(place()));
    assertRefused(Ext4Exception.Kind.NOT_FOUND, this::copy);
    assertThat(taken.size()).isZero();
  }

  @Test
  void withoutTheLookItIs() throws Exception {
    GuardedImage.Step step = deletedAndGivenAway(place());
    behindLooks(
        List.of(2),
        () -> {
          step.run();
          guarded.blind = true;
        });
    copy();
    assertThat(taken.toByteArray()).startsWith(PlaneImage.filled('X', 1024));
  }

  @Test
  void anotherFileOfTheNameIsReadFromItsBeginning() throws Exception {
    Path other = image.outside(PlaneImage.filled('Y', PlaneImage.BLOCK_BYTES));
    behindLooks(
        List.of(2),
        () -> {
          image.checkpoint();
          image.change("rm " + PlaneImage.BLOCK_FILE);
          image.change("write " + other + " " + PlaneImage.BLOCK_FILE);
          image.commit("sif " + PlaneImage.BLOCK_FILE + " generation 99");
          image.show();
        });
    copy();
    assertThat(taken.toByteArray()).isEqualTo(PlaneImage.filled('Y', PlaneImage.BLOCK_BYTES));
  }

  @Test
  void aFileThatChangesAgainAndAgainIsRefused() {
    int[] changes = {0};
    behindLooks(
        List.of(2, 5),
        () -> {
          String time = " ctime 2030010100000" + ++changes[0];
          image.commit("sif " + PlaneImage.BLOCK_FILE + time);
          image.show();
        });
    assertExpiredBehind(0);
    assertThat(changes[0]).isEqualTo(2);
  }

  @Test
  void whatChangesBehindItsFirstPieceEndsThere() throws Exception {
    behindLooks(List.of(3), deletedAndGivenAway(place() + PIECE));
    assertExpiredBehind(PIECE);
  }

  @Test
  void anotherMountEndsItToo() {
    behindLooks(
        List.of(3),
        () -> {
          image.checkpoint();
          image.change("ssv mnt_count 77");
          image.show();
        });
    assertExpiredBehind(PIECE);
  }

  @Test
  void aNeighbourThatChangesIsNoMatter() throws Exception {
    behindLooks(
        List.of(3),
        () -> {
          image.commit("sif " + PlaneImage.DIRECTORY + " mtime 20260101000000");
          image.show();
        });
    copy();
    assertThat(taken.toByteArray()).isEqualTo(PlaneImage.filled('b', PlaneImage.BLOCK_BYTES));
  }

  @Test
  void dataInTheLogIsTheFiles() throws Exception {
    long place = place();
    byte[] logged = image.bytes().clone();
    Arrays.fill(logged, (int) place, (int) place + 1024, (byte) 'L');
    image.log().commitBlocks(new int[] {(int) place / 1024}, logged);
    image.show();
    copy();
    assertThat(taken.toByteArray())
        .startsWith(PlaneImage.filled('L', 1024))
        .endsWith(PlaneImage.filled('b', PlaneImage.BLOCK_BYTES - 1024));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "-t ext2",
        "-t ext3",
        "-t ext4 -O ^has_journal",
        "-t ext4 -O ^metadata_csum",
        "-t ext4 -O fast_commit",
        "-t ext4 -O ^extents,^64bit"
      })
  void fileSystemsThatThePlaneRefusesAreReadOnce(String options) throws Exception {
    Path content = Files.createDirectory(directory.resolve("some"));
    Files.write(content.resolve("file"), PlaneImage.filled('f', 5000));
    Path file = directory.resolve("other");
    volume =
        InspectedVolume.open(
            Ext4Image.make(file, content, "16M", options + " -b 1024").device(), false);
    assertThat(volume.isLookedAt()).isFalse();
    assertThat(names(volume, "/")).contains("file");
    assertThat(volume.inode("/file").size()).isEqualTo(5000);
    assertThat(volume.extents("/file")).isNotEmpty();
    volume.copy("/file", taken::writeBytes);
    assertThat(taken.toByteArray()).isEqualTo(PlaneImage.filled('f', 5000));
  }

  @Test
  void oneWithNotedErrorsIsReadOnceToo() throws Exception {
    image.change("ssv error_count 1");
    image.show();
    assertReadOnce(image.device());
    assertThat(names(volume, "/")).contains("first");
  }

  @Test
  void oneWhoseLogIsNotToBeReplayedIsReadWithoutIt() throws Exception {
    image.change("feature -needs_recovery");
    image.show();
    assertReadOnce(image.device());
    assertThat(names(volume, "/")).contains("other").doesNotContain("first");
  }

  private void assertReadOnce(BlockDevice device) throws Exception {
    volume = InspectedVolume.open(device, false);
    assertThat(volume.isLookedAt()).isFalse();
    copy();
    assertThat(taken.toByteArray()).isEqualTo(PlaneImage.filled('b', PlaneImage.BLOCK_BYTES));
  }

  @Test
  void aLogWithoutAProperEndIsReadOnceInAnImageOnly() throws Exception {
    image.commit("mkdir /other/made");
    byte[] now = image.log().bytes();
    LogImage.logBlock(now, 2, 2).put(500, (byte) 1);
    BlockDevice device = new MemoryDevice(now, 512);
    volume = InspectedVolume.open(device, true);
    assertThat(volume.isLookedAt()).isFalse();
    assertThat(names(volume, "/")).contains("first");
    assertThatThrownBy(() -> InspectedVolume.open(device, false))
        .isInstanceOfSatisfying(
            FallbackException.class,
            e -> assertThat(e.reason()).isEqualTo(FallbackReason.METADATA_UNREADABLE));
  }
}
