// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.allocate;

import static io.rdio.datanode.allocate.WriteFixture.block;
import static io.rdio.datanode.allocate.WriteFixture.content;
import static io.rdio.datanode.allocate.WriteFixture.crcs;
import static io.rdio.datanode.allocate.WriteFixture.reason;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.FallbackReason;
import io.rdio.core.extent.ExtentList;
import io.rdio.core.linux.Fiemap;
import io.rdio.core.linux.FilePages;
import io.rdio.core.testing.Command;
import io.rdio.core.testing.Requirements;
import io.rdio.datanode.allocate.InjectedStep.Step;
import io.rdio.datanode.volume.Replica;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Slots on real file systems: what the device has, what the file system has, and after a restart.
 */
@Tag("loop")
final class SlotLifeIT {
  private static final int LENGTH = 700_001;
  private static final int PAGE = 4096;
  private static final WriteConfig RECYCLING = WriteFixture.config(30_000).recycles(true).build();

  @ParameterizedTest
  @ValueSource(strings = {"ext4", "ext4 -b 1024", "xfs"})
  void poolIsWrittenStampedAndNotCached(String fs) throws Exception {
    try (Lending lending = new Lending(fs)) {
      assertThat(lending.fixture.status().refusal()).isNull();
      assertThat(lending.fixture.pooled()).hasSize(4);
      for (Path file : lending.fixture.pooled()) {
        ExtentList extents = Fiemap.extents(file, Files.size(file)); // refuses unwritten ones
        String[] name = file.getFileName().toString().split("\\.", -1);
        int unit = (int) Files.getFileStore(file).getBlockSize();
        assertThat(extents.length()).isEqualTo(WriteFixture.BLOCK);
        assertThat(FilePages.cached(file, WriteFixture.BLOCK)).isZero();
        assertThat(
                lending.isStamped(
                    extents,
                    Long.parseUnsignedLong(name[0], 16),
                    Long.parseUnsignedLong(name[1], 16),
                    unit))
            .isTrue();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"ext4", "ext4 -b 1024", "xfs"})
  void rawWritesAreTheBlockThatTheFileSystemReads(String fs) throws Exception {
    try (Lending lending = new Lending(fs)) {
      WriteFixture fixture = lending.fixture;
      WriteGrantData grant = fixture.allocate("a", block(1));
      assertThat(lending.isStamped(grant.extents(), grant.slot(), grant.nonce(), grant.unit()))
          .isTrue();
      byte[] content = content(LENGTH);
      lending.writeRaw(grant, content);
      assertThat(fixture.commit("a", grant, LENGTH, crcs(content)))
          .isEqualTo(new CommitResult.Committed());

      Replica replica = fixture.writer.finalized(block(1));
      assertThat(replica).isNotNull();
      assertThat(FilePages.cached(replica.blockFile(), LENGTH)).isZero();
      assertThat(replica.blockFile()).hasBinaryContent(content);
      assertThat(Fiemap.extents(replica.blockFile(), LENGTH).physical(0))
          .isEqualTo(grant.extents().physical(0));

      lending.fs.unmount();
      lending.fs.mount("defaults");
      assertThat(replica.blockFile()).hasBinaryContent(content);
      Command.run("sync", "-f", lending.fs.mountPoint().toString());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"ext4", "xfs"})
  void writerWithAnotherDeviceCommitsNothing(String fs) throws Exception {
    try (Lending lending = new Lending(fs)) {
      WriteGrantData grant = lending.fixture.allocate("a", block(1));
      byte[] content = content(LENGTH);
      CommitResult result = lending.fixture.commit("a", grant, LENGTH, crcs(content));
      assertThat(reason(result)).isEqualTo(FallbackReason.CHECKSUM_MISMATCH);
      assertThat(((CommitResult.Refused) result).detail()).contains("stamp is there");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"ext4", "xfs"})
  void lentSlotIsNotInThePoolAfterALossOfPower(String fs) throws Exception {
    Requirements.requireTool("xfs_io");
    try (Lending lending = new Lending(fs)) {
      WriteFixture fixture = lending.fixture;
      WriteGrantData grant = fixture.allocate("a", block(1));
      lending.losePower();
      assertThat(fixture.leased()).hasSize(1);
      assertThat(Fiemap.extents(fixture.leased().get(0), WriteFixture.BLOCK))
          .isEqualTo(grant.extents());

      lending.start();
      assertThat(fixture.status().quarantined()).isEqualTo(1);
      fixture.pass(89_999);
      fixture.room.upkeep();
      assertThat(fixture.leased()).hasSize(1);
      fixture.pass(1);
      fixture.room.upkeep();
      assertThat(fixture.leased()).isEmpty();
    }
  }

  /** Whether it was cut or fills its slot, and so is not synced by the cut. */
  @ParameterizedTest
  @CsvSource({"ext4,700001", "ext4,1048576", "xfs,700001", "xfs,1048576"})
  void committedBlockSurvivesALossOfPower(String fs, int length) throws Exception {
    Requirements.requireTool("xfs_io");
    try (Lending lending = new Lending(fs)) {
      WriteFixture fixture = lending.fixture;
      WriteGrantData grant = fixture.allocate("a", block(1));
      byte[] content = content(length);
      lending.writeRaw(grant, content);
      assertThat(fixture.commit(grant, length)).isEqualTo(new CommitResult.Committed());
      lending.losePower();

      Replica replica = fixture.writer.finalized(block(1));
      assertThat(replica).isNotNull();
      assertThat(replica.blockFile()).hasBinaryContent(content);
      assertThat(Files.size(replica.metaFile())).isEqualTo(7 + crcs(content).length);
      assertThat(fixture.holds()).hasSize(1);
      assertThat(SlotMaker.linksOf(replica.blockFile())).isEqualTo(2);
    }
  }

  /** It is found in the cache, or on the device, if the kernel has written it by then. */
  @ParameterizedTest
  @ValueSource(strings = {"ext4", "xfs"})
  void pageThatSomebodyDirtiedIsNotCommittedWithAWholeSlot(String fs) throws Exception {
    try (Lending lending = new Lending(fs)) {
      WriteFixture fixture = lending.fixture;
      WriteGrantData grant = fixture.allocate("a", block(1));
      byte[] content = content(WriteFixture.BLOCK);
      lending.writeRaw(grant, content);
      byte[] wrong = new byte[PAGE];
      Arrays.fill(wrong, (byte) ~content[0]);
      WriteFixture.write(fixture.slotOf(grant), wrong);

      assertThat(reason(fixture.commit(grant, content.length)))
          .isIn(FallbackReason.PIN_FAILED, FallbackReason.CHECKSUM_MISMATCH);
      assertThat(fixture.writer.finalized(block(1))).isNull();
      fixture.room.upkeep();
      assertThat(fixture.writer.hasRbw(block(1))).isFalse();
      assertThat(fixture.status().quarantined()).isEqualTo(1);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"ext4", "xfs"})
  void powerLostBeforeTheNameLeavesAnEmptyReplicaAndALentSlot(String fs) throws Exception {
    Requirements.requireTool("xfs_io");
    try (Lending lending = new Lending(fs)) {
      WriteFixture fixture = lending.fixture;
      WriteGrantData grant = fixture.allocate("a", block(1));
      byte[] content = content(LENGTH);
      lending.writeRaw(grant, content);
      fixture.writer.invalidateFails = true; // nobody is left to do it
      InjectedStep.failAt(Step.RENAME);
      try {
        fixture.commit("a", grant, LENGTH, crcs(content));
      } finally {
        InjectedStep.none();
      }
      Path empty = fixture.storage.volumeRoot().resolve("current/rbw/blk_1");
      lending.losePower();

      assertThat(empty).isEmptyFile();
      assertThat(fixture.leased()).hasSize(1);
      assertThat(Files.size(fixture.leased().get(0))).isEqualTo(LENGTH);
      lending.start();
      fixture.pass(90_000);
      fixture.room.upkeep();
      assertThat(fixture.leased()).isEmpty(); // it was cut: its space goes back
      assertThat(fixture.pooled()).hasSize(4);
    }
  }

  /** A block that fills its slot, which is committed, and which nothing holds any more. */
  private static WriteGrantData writeWhole(Lending lending, byte[] content) throws IOException {
    WriteGrantData grant = commitWhole(lending, content);
    lending.fixture.pass(60_000);
    lending.fixture.room.upkeep();
    assertThat(lending.fixture.holds()).isEmpty();
    assertThat(lending.fixture.kept()).hasSize(1);
    return grant;
  }

  private static WriteGrantData commitWhole(Lending lending, byte[] content) throws IOException {
    WriteFixture fixture = lending.fixture;
    Requirements.require(
        fixture.room.counters().slotsZeroed() > 0, "the device writes zeroes by itself");
    WriteGrantData grant = fixture.allocate("a", block(1));
    lending.writeRaw(grant, content);
    assertThat(fixture.commit("a", grant, content.length, crcs(content)))
        .isEqualTo(new CommitResult.Committed());
    return grant;
  }

  /** Else a loss of power could bring the block back that the file was of. */
  @ParameterizedTest
  @CsvSource({"ext4,1", "ext4 -O ^has_journal,0", "xfs,1"})
  void fileIsKeptOnlyWhereAJournalHasItsDeletion(String fs, int files) throws Exception {
    try (Lending lending = new Lending(fs, RECYCLING)) {
      commitWhole(lending, content(WriteFixture.BLOCK));
      assertThat(lending.fixture.kept()).hasSize(files);
    }
  }

  private static Path blockFile(WriteFixture fixture) {
    return Objects.requireNonNull(fixture.writer.finalized(block(1))).blockFile();
  }

  /** What ended the block is on the device before anything else is written to its places. */
  @ParameterizedTest
  @ValueSource(strings = {"ext4", "xfs"})
  void blockWhoseFileIsTakenStaysDeletedOverALossOfPower(String fs) throws Exception {
    Requirements.requireTool("xfs_io");
    try (Lending lending = new Lending(fs, RECYCLING)) {
      WriteFixture fixture = lending.fixture;
      WriteGrantData grant = writeWhole(lending, content(WriteFixture.BLOCK));
      Path file = blockFile(fixture);
      assertThat(file).exists();
      fixture.writer.delete(block(1));
      fixture.room.upkeep();
      lending.losePower();

      assertThat(file).doesNotExist();
      assertThat(fixture.kept()).isEmpty();
      assertThat(fixture.leased()).hasSize(1);
      lending.start();
      fixture.pass(90_000);
      fixture.room.upkeep();
      assertRecycled(lending, grant);
    }
  }

  /** Written, whole, stamped, not cached (W1), and at the same places. */
  private static void assertRecycled(Lending lending, WriteGrantData grant) throws IOException {
    WriteFixture fixture = lending.fixture;
    assertThat(fixture.leased()).isEmpty();
    String number = "%016x.".formatted(grant.slot());
    Path slot =
        fixture.pooled().stream()
            .filter(file -> file.getFileName().toString().startsWith(number))
            .findFirst()
            .orElseThrow();
    long nonce = Long.parseUnsignedLong(slot.getFileName().toString().split("\\.", -1)[1], 16);
    assertThat(nonce).isNotEqualTo(grant.nonce());
    assertThat(FilePages.cached(slot, WriteFixture.BLOCK)).isZero();
    assertThat(lending.isStamped(grant.extents(), grant.slot(), nonce, grant.unit())).isTrue();
  }

  /** The kernel says who has the file, and its blocks, when no name is left. */
  @ParameterizedTest
  @ValueSource(strings = {"ext4", "xfs"})
  void blockThatSomebodyReadsOnIsNoSlot(String fs) throws Exception {
    try (Lending lending = new Lending(fs, RECYCLING)) {
      WriteFixture fixture = lending.fixture;
      byte[] content = content(WriteFixture.BLOCK);
      WriteGrantData grant = writeWhole(lending, content);
      try (InputStream reader = Files.newInputStream(blockFile(fixture))) {
        fixture.writer.delete(block(1));
        fixture.room.upkeep();
        assertThat(fixture.leased()).hasSize(1);
        fixture.pass(60_000);
        fixture.room.upkeep();
        assertThat(fixture.leased()).isEmpty();
        assertThat(fixture.pooled()).noneMatch(file -> WriteFixture.isOf(file, grant));
        assertThat(reader).hasBinaryContent(content);
      }
      assertThat(fixture.room.counters().slotsRecycled()).isEqualTo(1);
    }
  }

  /** So the one before is not for want of slots that come back. */
  @ParameterizedTest
  @ValueSource(strings = {"ext4", "ext4 -b 1024", "xfs"})
  void blockThatNobodyReadsIsASlotAgain(String fs) throws Exception {
    try (Lending lending = new Lending(fs, RECYCLING)) {
      WriteFixture fixture = lending.fixture;
      byte[] content = content(WriteFixture.BLOCK);
      WriteGrantData grant = writeWhole(lending, content);
      assertThat(blockFile(fixture)).hasBinaryContent(content); // now its pages are cached
      long zeroed = fixture.room.counters().slotsZeroed();
      fixture.writer.delete(block(1));
      fixture.room.upkeep();
      fixture.pass(60_000);
      fixture.room.upkeep();
      assertRecycled(lending, grant);
      assertThat(fixture.room.counters().slotsZeroed()).isEqualTo(zeroed);
    }
  }
}
