// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.ext4.Ext4Exception;
import io.rdio.core.ext4.Ext4Image;
import io.rdio.core.ext4.Inode;
import io.rdio.core.ext4.journal.LogImage;
import io.rdio.core.testing.InMemory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What may become of a log, and of the mount that it is of, while somebody reads by it: one step in
 * front and one behind, and what is handed out by who leaves a look out.
 */
final class LogHazardsTest {
  private static final int DESCRIPTOR = 1;
  private static final int COMMIT = 2;
  private static final int FAST_COMMIT = 0x20;
  private static final int SUPERBLOCK_AT = 1024;
  private static final int COMMIT_SECONDS_AT = 48;

  /** Before the record of the mount was made, as it has to be. */
  private static final long MOUNTED = PlaneImage.MADE - 10;

  private static final String[] DELETE = {
    "rm " + PlaneImage.BLOCK_FILE, "rm " + PlaneImage.META_FILE
  };

  /** Changes the inode's neighbour, in the same block. */
  private static final String NEIGHBOUR = "sif " + PlaneImage.DIRECTORY + " mtime 20260101000000";

  @TempDir(factory = InMemory.class)
  Path directory;

  private PlaneImage image;

  @BeforeEach
  void makeImage() throws Exception {
    Ext4Image.requireTools();
    image = PlaneImage.fit(directory);
  }

  /** The device as the writer leaves it, but for what is done to one block of it. */
  private void showWith(byte[] all) {
    System.arraycopy(all, 0, image.bytes(), 0, all.length);
  }

  /** The log with a deletion as its second transaction, the commit block of which is not there. */
  private byte[] uncommitted() throws Exception {
    image.commit(DELETE);
    byte[] all = image.log().bytes();
    LogImage.logBlock(all, COMMIT, 2).put(new byte[1024]);
    return all;
  }

  @Test
  void whatIsNotCommittedIsNotSeen() throws Exception {
    GuardedImage guarded = GuardedImage.of(image);
    GuardedImage.Reader reader = guarded.new Reader();
    showWith(uncommitted());
    assertThat(reader.read()).isEqualTo((byte) 'b');
    assertThat(GuardedImage.of(image).new Reader().read())
        .as("nor by who comes when the writer has died")
        .isEqualTo((byte) 'b');
    image.show();
    reader.giveAway('X');
    reader.assertExpired();
  }

  /** As a writer leaves it that dies in the middle of its writes, for whoever comes then, too. */
  @Test
  void whatIsTornAndNotCommittedIsNotSeenEither() throws Exception {
    GuardedImage guarded = GuardedImage.of(image);
    GuardedImage.Reader reader = guarded.new Reader();
    long before = guarded.clock.nanos();
    byte[] all = uncommitted();
    LogImage.logBlock(all, DESCRIPTOR, 2).put(512, new byte[512]);
    showWith(all);
    assertThat(reader.read()).isEqualTo((byte) 'b');
    assertThat(GuardedImage.of(image).new Reader().read()).isEqualTo((byte) 'b');
    assertThat(guarded.clock.nanos()).as("nobody waited").isEqualTo(before);
    image.show();
    reader.giveAway('X');
    reader.assertExpired();
  }

  @ParameterizedTest
  @ValueSource(ints = {DESCRIPTOR, COMMIT})
  void aBlockOfTheLogThatIsHalfWrittenIsLookedAtAgain(int type) throws Exception {
    GuardedImage guarded = GuardedImage.of(image);
    GuardedImage.Reader reader = guarded.new Reader();
    image.commit(DELETE);
    byte[] all = image.log().bytes();
    LogImage.logBlock(all, type, 2).put(900, (byte) 1);
    showWith(all);
    int[] pauses = {0};
    guarded.onPause =
        () -> {
          if (++pauses[0] == 3) {
            try {
              image.show();
            } catch (IOException e) {
              throw new AssertionError(e);
            }
          }
        };
    reader.assertExpired();
    assertThat(pauses[0]).isEqualTo(3);
  }

  @ParameterizedTest
  @ValueSource(ints = {DESCRIPTOR, COMMIT})
  void oneThatStaysSoFailsTheGuard(int type) throws Exception {
    GuardedImage guarded = GuardedImage.of(image);
    GuardedImage.Reader reader = guarded.new Reader();
    image.commit(NEIGHBOUR);
    byte[] all = image.log().bytes();
    LogImage.logBlock(all, type, 2).put(900, (byte) 1);
    showWith(all);
    assertFailed(guarded, reader, FallbackReason.METADATA_UNREADABLE);
    image.show();
    assertThat(reader.isValid()).as("failed once").isFalse();
    assertThat(guarded.new Reader().read()).isEqualTo((byte) 'b');
  }

  private static void assertFailed(
      GuardedImage guarded, GuardedImage.Reader reader, FallbackReason reason) {
    assertThatThrownBy(reader::after)
        .isInstanceOfSatisfying(
            FallbackException.class, e -> assertThat(e.reason()).as(e.detail()).isEqualTo(reason));
    assertThat(reader.isValid()).isFalse();
    guarded.assertNone(reason);
  }

  /** Commits a deletion at a time by the writer's clock, in seconds. */
  private void deleteAt(long seconds) throws Exception {
    image.commit(DELETE);
    byte[] all = image.log().bytes();
    ByteBuffer commit = LogImage.logBlock(all, COMMIT, 2);
    commit.putLong(COMMIT_SECONDS_AT, seconds);
    LogImage.signCommit(all, commit);
    showWith(all);
  }

  /** By an earlier writer, as it looks; or by one whose clock was wrong when it mounted. */
  private void deleteBeforeTheMount() throws Exception {
    deleteAt(MOUNTED - 1);
  }

  private void mountIt() throws Exception {
    image.change("ssv mtime @" + MOUNTED);
    image.show();
  }

  @ParameterizedTest
  @ValueSource(longs = {2, 3600})
  void aClockThatWasSetBackHidesNothing(long seconds) throws Exception {
    mountIt();
    GuardedImage guarded = GuardedImage.of(image);
    GuardedImage.Reader reader = guarded.new Reader();
    byte[] before = image.bytes();
    deleteAt(LogImage.logBlock(before, COMMIT, 1).getLong(COMMIT_SECONDS_AT) - seconds);
    reader.giveAway('X');
    reader.assertExpired();
    GuardedImage.of(image).assertNone(FallbackReason.REPLICA_NOT_FOUND);
  }

  @Test
  void aCommitFromBeforeTheMountIsNoEndOfTheLog() throws Exception {
    mountIt();
    GuardedImage guarded = GuardedImage.of(image);
    GuardedImage.Reader reader = guarded.new Reader();
    deleteBeforeTheMount();
    reader.giveAway('X');
    assertFailed(guarded, reader, FallbackReason.METADATA_UNREADABLE);
  }

  @Test
  void whoTakesItForOneHandsOutTheWrongByte() throws Exception {
    mountIt();
    GuardedImage guarded = GuardedImage.of(image);
    GuardedImage.Reader reader =
        guarded
        .new Reader(
            moment ->
                new DeviceGuard(
                    guarded.live, moment.opened(), moment.found().footprint(), moment.position()) {
                  @Override
                  OpenVolume look() {
                    try {
                      return super.look();
                    } catch (FallbackException e) {
                      return guarded.live.current();
                    }
                  }
                });
    deleteBeforeTheMount();
    reader.giveAway('X');
    assertThat(reader.read()).isEqualTo((byte) 'X');
  }

  /** A deletion, of which the log that went round shows no more than that it did. */
  private void deleteAndGoRound() throws Exception {
    image.commit(DELETE);
    image.checkpoint();
    image.commit("mkdir /second");
    image.show();
    for (long number = 1; number < 1000; number++) {
      ByteBuffer block = LogImage.logBlock(image.bytes(), number);
      if (block.getInt(0) == 0xC03B3998 && block.getInt(8) == 2) {
        block.put(new byte[1024]); // written over by some later one
      }
    }
  }

  private int logAt() throws Ext4Exception {
    return LogImage.logBlock(image.bytes(), 0).arrayOffset();
  }

  @Test
  void aLogThatWentRoundIsSeenByItsStart() throws Exception {
    GuardedImage guarded = GuardedImage.of(image);
    GuardedImage.Reader reader = guarded.new Reader();
    deleteAndGoRound();
    reader.giveAway('X');
    reader.assertExpired();
  }

  /** Or looks at it in front of the end: the log went round in between. */
  @Test
  void whoDoesNotLookAtTheStartHandsOutTheWrongByte() throws Exception {
    StaleDevice metadata = new StaleDevice(image);
    GuardedImage guarded = GuardedImage.of(image, metadata);
    GuardedImage.Reader reader = guarded.new Reader();
    metadata.hold(logAt());
    deleteAndGoRound();
    reader.giveAway('X');
    assertThat(reader.read()).isEqualTo((byte) 'X');
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"ssv mnt_count 77", "ssv lastcheck 20270101000000", "ssv mtime 20270101000000"})
  void whatIsDoneWhileItIsNotMountedIsSeenAtTheNextMount(String mount) throws Exception {
    image.checkpoint();
    image.show();
    GuardedImage guarded = GuardedImage.of(image);
    GuardedImage.Reader reader = guarded.new Reader();
    image.change(DELETE);
    image.show();
    reader.giveAway('X');
    assertThat(reader.read()).as("forbidden, for nothing shows it").isEqualTo((byte) 'X');
    image.change(mount);
    image.show();
    reader.assertExpired();
    assertThat(guarded.counters.mountsSeen.sum()).isEqualTo(1);
  }

  @Test
  void whoDoesNotLookForMountsHandsOutTheWrongByte() throws Exception {
    image.checkpoint();
    image.show();
    StaleDevice metadata = new StaleDevice(image);
    GuardedImage guarded = GuardedImage.of(image, metadata);
    GuardedImage.Reader reader = guarded.new Reader();
    metadata.hold(SUPERBLOCK_AT);
    image.change(DELETE);
    image.change("ssv mnt_count 77");
    image.show();
    reader.giveAway('X');
    assertThat(reader.read()).isEqualTo((byte) 'X');
  }

  /** The mount comes first, then what was deleted while it was open is freed. */
  @Test
  void theNextMountReplaysAndDeletes() throws Exception {
    image.commit(NEIGHBOUR);
    image.show();
    GuardedImage guarded = GuardedImage.of(image);
    GuardedImage.Reader reader = guarded.new Reader();
    image.checkpoint();
    image.show();
    assertThat(reader.read()).as("replay alone").isEqualTo((byte) 'b');
    image.change("ssv mnt_count 77");
    image.commit(DELETE);
    image.show();
    reader.giveAway('X');
    reader.assertExpired();
  }

  @Test
  void aCommitThatWasSeenAndIsLostWithThePower() throws Exception {
    byte[] before = image.log().bytes();
    GuardedImage guarded = GuardedImage.of(image);
    GuardedImage.Reader reader = guarded.new Reader();
    image.commit("mkdir /second");
    image.show();
    assertThat(reader.read()).isEqualTo((byte) 'b');
    showWith(before);
    assertThat(reader.read()).as("until it is mounted again").isEqualTo((byte) 'b');
    Files.write(image.log().file(), before);
    image.checkpoint();
    image.change("ssv mnt_count 77");
    image.commit(DELETE);
    image.show();
    reader.giveAway('X');
    reader.assertExpired();
  }

  /** Half of it is old, half new; the log has all of it until its start has moved on. */
  @Test
  void aBlockThatIsBeingWrittenHome() throws Exception {
    GuardedImage guarded = GuardedImage.of(image);
    GuardedImage.Reader reader = guarded.new Reader();
    Inode inode = guarded.live.current().volume().resolve(PlaneImage.BLOCK_FILE);
    image.commit(NEIGHBOUR);
    image.show();
    int at = (int) inode.block() * 1024;
    Arrays.fill(image.bytes(), at, at + 1024, (byte) 0x5A);
    assertThat(reader.read()).isEqualTo((byte) 'b');
    assertThat(guarded.counters.comparisons.sum()).isEqualTo(1);
    assertThat(guarded.new Reader().read()).isEqualTo((byte) 'b');
    image.checkpoint();
    image.show();
    assertThat(reader.read()).isEqualTo((byte) 'b');
  }

  @Test
  void oneThatTheReaderHasNotHeardOfIsMetWhileItIsResolved() throws Exception {
    GuardedImage guarded = GuardedImage.of(image);
    int at = (int) guarded.live.current().volume().resolve(PlaneImage.BLOCK_FILE).block() * 1024;
    assertThat(guarded.new Reader().read()).isEqualTo((byte) 'b');
    guarded.onLook =
        () -> {
          guarded.onLook = () -> {};
          image.commit(NEIGHBOUR);
          image.show();
          Arrays.fill(image.bytes(), at, at + 1024, (byte) 0x5A);
          guarded.live.current().blocks().forget();
        };
    assertThat(guarded.new Reader().read()).isEqualTo((byte) 'b');
    assertThat(guarded.counters.resolvesAgain.sum()).isEqualTo(1);
  }

  @Test
  void fastCommitsThatBeginWhileItIsRead() throws Exception {
    GuardedImage guarded = GuardedImage.of(image);
    GuardedImage.Reader reader = guarded.new Reader();
    assertThat(reader.read()).isEqualTo((byte) 'b');
    LogImage.addFeature(image.bytes(), FAST_COMMIT);
    assertFailed(guarded, reader, FallbackReason.FILE_SYSTEM_UNSUPPORTED);
  }

  @Test
  void aLogThatMovesFasterThanItIsRead() throws Exception {
    int start = LogImage.logBlock(image.bytes(), 0).getInt(0x1C);
    boolean[] moves = {false};
    StaleDevice metadata =
        new StaleDevice(image) {
          @Override
          public void read(long offset, ByteBuffer target) throws FallbackException {
            try {
              if (moves[0] && offset == logAt()) {
                int sequence = LogImage.logBlock(image.bytes(), 0).getInt(0x18);
                LogImage.moveStart(image.bytes(), start, sequence + 10);
              }
            } catch (Ext4Exception e) {
              throw new AssertionError(e);
            }
            super.read(offset, target);
          }
        };
    GuardedImage guarded = GuardedImage.of(image, metadata);
    GuardedImage.Reader reader = guarded.new Reader();
    assertThat(reader.read()).isEqualTo((byte) 'b');
    long began = guarded.clock.nanos();
    moves[0] = true;
    assertFailed(guarded, reader, FallbackReason.METADATA_UNREADABLE);
    assertThat(guarded.clock.nanos() - began).isGreaterThan(LiveVolume.PATIENCE_NANOS);
    moves[0] = false;
    assertThat(guarded.new Reader().read()).isEqualTo((byte) 'b');
  }
}
